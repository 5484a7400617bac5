// What must be true of a page in a browser.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resize } from "./browser.mjs";
import { contrast } from "./contrast.mjs";
import { formulas } from "./latex.mjs";
import { labelled } from "./plots.mjs";
import { forEveryReader, withoutFonts, withoutNewColours } from "./readers.mjs";
import { UPWARD, seenFromAbove, stillFromAbove } from "./upward.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A number as it stands on the page: 1.5·10⁻⁷. */
const plain = (text) => Number(text.replaceAll("−", "-").replace(/·10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/, (_, sign, digits) => `e${sign ? "-" : ""}${[...digits].map((own) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(own)).join("")}`).replace(/·10$/, "e1"));
const near = (a, b, scale = 1) => Math.abs(a - b) <= 2e-5 * Math.max(scale, Math.abs(a), Math.abs(b));

/** Firefox lays out a page that has not come in full, and complains of fractions of which only one half is there. The
 * parts of those that are complete are counted below. */
const UNFINISHED = /^Invalid markup: Incorrect number of children for/;
/** How many parts each has. */
const PARTS = { msub: 2, msup: 2, mfrac: 2, mover: 2, munder: 2, msubsup: 3, munderover: 3 };

/** Opens a page and looks at everything, where it is asked for with the eyes of every reader; `{ faults, counts }`. The
 * browser shows no other page meanwhile: tabs in the background get neither frames nor fingers. */
export async function inspect(browser, url, name, everyReader) {
  const faults = [];
  const counts = { pages: 1, readers: Number(everyReader), placed: 0, hovered: 0, arrows: 0, formulas: 0, contrasts: 0, labelled: 0 };
  const page = await browser.newPage();
  await resize(page, { width: 1280, height: 900 });
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => UNFINISHED.test(error.message) || faults.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => (faults.push("a dialog"), dialog.dismiss()));
  page.on("request", (request) => {
    // The font, and pictures on their way to pixels, are in the page.
    if (request.url().split("#")[0] !== url && !/^data:(font|image)/.test(request.url())) faults.push(`request: ${request.url().slice(0, 200)}`);
  });
  await page.goto(url, { waitUntil: "load" });
  const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
  faults.push(...(await equations(page)));
  faults.push(...(await formulas(page, data, counts)));
  if (data.scene) {
    faults.push(...(await playing(page)), ...(await arrows(page, data, counts)), ...(await toggles(page, data)));
  }
  if (data.plots.length > 0) faults.push(...(await hovering(page, data, counts)), ...(await pictures(page, data)));
  faults.push(...(await labelled(page, data, counts)), ...(await contrast(page, counts)));
  faults.push(...(await accessible(page)), ...(await tabStops(page)));
  if (UPWARD[name]) faults.push(...(await seenFromAbove(page, UPWARD[name].sign)));
  if (everyReader) faults.push(...(await forEveryReader(page, url, data)), ...(await withoutNewColours(browser, url)), ...(await withoutFonts(browser, url)));
  if (name === "hostile") faults.push(...(await harmless(page)));
  await page.close();
  faults.push(...(await still(browser, url, data, name)));
  return { faults, counts };
}

async function equations(page) {
  return page.evaluate((parts) => {
    const faults = [];
    const formulas = [...document.querySelectorAll(".form:not([hidden]) math")];
    if (formulas.length === 0) faults.push("no formula");
    if (/formula of \d+ characters, too long/.test(document.querySelector("#equations").textContent)) faults.push("a formula is left out");
    const visible = formulas.filter((formula) => formula.closest("details:not([open])") === null);
    if (visible.some((formula) => formula.getBoundingClientRect().height < 5)) faults.push("a formula has no height");
    if (document.querySelector("math annotation")?.textContent === "") faults.push("a formula without its LaTeX");
    for (const script of document.querySelectorAll(Object.keys(parts).map((name) => `math ${name}`).join())) {
      if (script.children.length !== parts[script.localName]) faults.push(`<${script.localName}> with ${script.children.length} parts`);
    }
    const tabs = [...document.querySelectorAll("[role=tab]")];
    tabs.at(-1)?.click();
    if (tabs.length === 0 || document.querySelector(".form:not([hidden])")?.id !== tabs.at(-1).getAttribute("aria-controls")) {
      faults.push("the last tab does not open its panel");
    }
    tabs[0]?.click();
    return [...new Set(faults)];
  }, PARTS);
}

async function playing(page) {
  const faults = [];
  if ((await page.$$("input[type=range]")).length !== 1) faults.push("not one slider for the time");
  const value = () => page.$eval("input[type=range]", (range) => Number(range.value));
  const before = await value();
  const play = await page.$('button[aria-label="Play"]');
  if (!play) return [...faults, "no button to play"];
  await play.evaluate((button) => button.click());
  let moved = false;
  for (let tries = 0; tries < 30 && !moved; tries++) {
    await new Promise((done) => setTimeout(done, 100 * Math.min(tries + 1, 5)));
    moved = (await value()) !== before;
  }
  const still = await page.evaluate(() => {
    const range = document.querySelector("input[type=range]");
    return range.min === range.max;
  });
  if (!moved && !still) faults.push("the player does not advance");
  const pause = await page.$('button[aria-label="Pause"]');
  await pause?.evaluate((button) => button.click());
  return faults;
}

/** Every arrow shown stands where the data say, and on its particle. */
async function arrows(page, data, counts) {
  const faults = [];
  const index = Math.floor(0.37 * (data.times.length - 1));
  const shown = await page.evaluate((time) => {
    const range = document.querySelector("input[type=range]");
    range.step = "any";
    range.value = String(time);
    range.dispatchEvent(new Event("input"));
    const numbers = (element, name) => element.getAttribute(name).split(" ").map(Number);
    const seen = (element) => element.style.display !== "none" && element.getAttribute("visibility") !== "hidden";
    return {
      arrows: [...document.querySelectorAll(".arrow")].map((element) => ({
        at: numbers(element, "data-at"),
        vector: numbers(element, "data-vector"),
        seen: seen(element),
        start: element.querySelector(".shaft").getAttribute("d")?.match(/^M(\S+) ([^LA]+)/)?.slice(1).map(Number),
      })),
      marks: [...document.querySelectorAll(".marks circle")].map((dot) => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]),
    };
  }, data.times[index]);
  const { scene } = data;
  if (shown.arrows.length !== scene.arrows.length) return [`${shown.arrows.length} arrows, not ${scene.arrows.length}`];
  scene.arrows.forEach((arrow, i) => {
    const drawn = shown.arrows[i];
    const expected = (track) => [0, 1, 2].map((k) => track[3 * index + k] ?? NaN);
    for (const [what, track] of [["at", arrow.at], ["vector", arrow.vector]]) {
      const scale = Math.max(...expected(track).map(Math.abs));
      if (expected(track).some((x, k) => Number.isFinite(x) && !near(x, drawn[what][k], scale))) faults.push(`arrow ${i}: wrong ${what}`);
    }
    if (!drawn.seen) return;
    counts.arrows += 1;
    const mark = scene.marks.findIndex((mark) => expected(mark.at).every((x, k) => near(x, drawn.at[k])));
    if (mark < 0 || arrow.kind === "couple" || !drawn.start) return;
    counts.placed += 1;
    const [dx, dy] = [0, 1].map((k) => drawn.start[k] - shown.marks[mark][k]);
    if (!(Math.hypot(dx, dy) < 1.5)) faults.push(`arrow ${i} begins ${Math.hypot(dx, dy)} pixels from its particle`);
  });
  return faults;
}

/** One checkbox for each constraint, which hides its arrows. */
async function toggles(page, data) {
  const expected = data.scene.toggles.filter((toggle) => toggle.constraint);
  return page.evaluate((expected) => {
    const faults = [];
    const boxes = [...document.querySelectorAll("input[type=checkbox][data-constraint]")];
    if (boxes.length !== expected.length) faults.push(`${boxes.length} checkboxes for ${expected.length} constraints`);
    boxes.forEach((box, i) => {
      if (!box.closest("label")?.textContent.trim()) faults.push("a checkbox without a label");
      if (box.checked !== expected[i].on) faults.push("a checkbox is not as it should be");
    });
    const before = document.querySelectorAll('.arrow:not([style*="none"])').length;
    const box = boxes.find((box) => !box.disabled);
    if (box) {
      box.click();
      if (document.querySelectorAll('.arrow:not([style*="none"])').length >= before) faults.push("a checkbox hides nothing");
      box.click();
    }
    return faults;
  }, expected);
}

/** The value under the pointer is that of the data. */
async function hovering(page, data, counts) {
  const which = data.plots.findIndex((plot) => !plot.log && plot.series.every((series) => series.x === null));
  if (which < 0 || data.times.length < 2) return [];
  const area = await page.$(`figure[data-plot="${which}"] .area svg`);
  await area.scrollIntoView();
  const frame = await page.$eval(`figure[data-plot="${which}"] .area clipPath rect`, (clip) =>
    ["x", "width", "height"].map((name) => Number(clip.getAttribute(name))),
  );
  const box = await area.boundingBox();
  const part = 0.61;
  await page.mouse.move(box.x + frame[0] + part * frame[1], box.y + frame[2] / 2);
  const text = await page.$eval(`figure[data-plot="${which}"] [data-test=readout]`, (readout) =>
    [...readout.querySelectorAll("span")].map((span) => span.textContent),
  );
  const number = (words) => plain(words.slice(words.lastIndexOf("=") + 1).trim());
  const { times } = data;
  const low = Math.min(times[0], times.at(-1));
  const wanted = low + part * Math.abs(times.at(-1) - times[0]);
  const index = times.reduce((best, time, i) => (Math.abs(time - wanted) < Math.abs(times[best] - wanted) ? i : best), 0);
  const faults = [];
  const step = Math.abs(times[1] - times[0]);
  const got = number(text[0] ?? "");
  if (!(Math.abs(got - times[index]) < 1.6 * step + 1e-6)) faults.push(`under the pointer is t = ${got}, not ${times[index]}`);
  const at = times.reduce((best, time, i) => (Math.abs(time - got) < Math.abs(times[best] - got) ? i : best), 0);
  const values = data.plots[which].series.map((series) => series.y[at]).filter((y) => y !== null);
  values.forEach((value, i) => {
    if (!near(number(text[i + 1] ?? ""), value, 0)) faults.push(`the pointer reads ${text[i + 1]?.slice(-40)}, not ${value}`);
  });
  counts.hovered += values.length > 0 ? 1 : 0;
  await page.mouse.move(2, 2);
  return faults;
}

/** Files that the page writes: a plot with its caption, the picture in pixels; and a plot of any two quantities. */
async function pictures(page, data) {
  return page.evaluate(async (moves) => {
    const faults = [];
    const files = [];
    const make = URL.createObjectURL;
    const click = HTMLAnchorElement.prototype.click;
    URL.createObjectURL = (blob) => (files.push(blob), "data:,");
    HTMLAnchorElement.prototype.click = () => undefined;
    const figure = document.querySelector("figure.plot");
    figure.querySelector(".save").click();
    const text = await files[0]?.text();
    const drawing = new DOMParser().parseFromString(text ?? "", "image/svg+xml");
    const caption = figure.querySelector("figcaption").textContent;
    if (!drawing.querySelector("svg path") || ![...drawing.querySelectorAll("text")].some((own) => own.textContent === caption)) faults.push("a plot is saved without its caption");
    const button = [...document.querySelectorAll(".downloads button")].find((own) => own.textContent.includes("PNG"));
    if (moves && !button) faults.push("no picture to save");
    button?.click();
    for (let tries = 0; button && files.length < 2 && tries < 50; tries++) await new Promise((done) => setTimeout(done, 40));
    if (button && !(files[1]?.type === "image/png" && files[1].size > 1000)) faults.push(`no PNG: ${files[1]?.type} ${files[1]?.size}`);
    URL.createObjectURL = make;
    HTMLAnchorElement.prototype.click = click;
    const chosen = document.querySelector('figure[data-plot="chosen"]');
    for (const select of chosen?.querySelectorAll("select") ?? []) {
      select.value = select.options[select.options.length - 1].value;
      select.dispatchEvent(new Event("change"));
    }
    if (chosen && !chosen.querySelector(".curve").getAttribute("d").startsWith("M")) faults.push("a quantity against itself is no curve");
    if (chosen && chosen.querySelectorAll(".area").length !== 1) faults.push("plots of before stay");
    return faults;
  }, data.scene !== null);
}

async function accessible(page) {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run({ exclude: [["math"]] }, { resultTypes: ["violations"] });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes[0]?.html.slice(0, 160), count: nodes.length }));
  });
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, where, count }) => `axe: ${id} (${count}): ${where}`);
}

/** What scrolls is reached by keys, and only that: once it has been laid out and measured, which takes a while for long formulas. */
async function tabStops(page) {
  let faults = [];
  await openEquations(page, true);
  for (let tries = 0; tries < 60; tries++) {
    if (tries > 0) await new Promise((done) => setTimeout(done, 250));
    faults = await stopsNow(page);
    if (faults.length === 0) break;
  }
  await openEquations(page, false);
  return faults;
}

function openEquations(page, open) {
  return page.evaluate((open) => {
    const fold = document.querySelector(".form:not([hidden]) details");
    if (fold) fold.open = open;
    if (open) document.querySelector("#equations").scrollIntoView({ behavior: "instant" });
    else scrollTo({ top: 0, behavior: "instant" });
  }, open);
}

function stopsNow(page) {
  return page.evaluate(async () => {
    // Sizes are told with the frames.
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let count = 0; count < 3; count++) await Promise.race([frame(), new Promise((done) => setTimeout(done, 500))]);
    const faults = [];
    // A formula far from the window stands there, but what is in it is skipped, and has no width until then.
    const seen = (element) => (element.firstElementChild ?? element).checkVisibility({ contentVisibilityAuto: true });
    const laidOut = [...document.querySelectorAll(".formula, .form p, .wide")].filter(seen);
    if (!laidOut.some((element) => element.matches(".formula"))) faults.push("no formula is laid out");
    for (const element of laidOut) {
      const scrolls = ["auto", "scroll"].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1;
      const stop = element.hasAttribute("tabindex") || element.querySelector("button:not([tabindex='-1']), a[href]") !== null;
      const wide = element.scrollWidth > element.clientWidth + 1;
      if (wide && !(scrolls && stop)) faults.push(`what is too wide is not reached by keys: ${element.outerHTML.slice(0, 120)}`);
      if (!wide && element.hasAttribute("tabindex")) faults.push(`a tab stop that does not scroll: ${element.outerHTML.slice(0, 120)}`);
    }
    return faults.slice(0, 3);
  });
}

async function harmless(page) {
  return page.evaluate(() => {
    const faults = [];
    if (window.harmed !== undefined) faults.push("a script of the model ran");
    if (document.querySelectorAll("script").length !== 2) faults.push("a script too many");
    if (document.querySelector("img, iframe, object, embed, link, base, form")) faults.push("an element of the model's own");
    if (/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(document.documentElement.outerHTML)) faults.push("marks that turn the text");
    if (document.documentElement.scrollWidth > window.innerWidth + 2) faults.push("wider than the window");
    return faults;
  });
}

/** Without scripts there is a picture, and the equations. */
async function still(browser, url, data, name) {
  // Firefox has no way to be told to run no scripts.
  if (process.env.FIREFOX) return [];
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  await page.goto(url);
  const faults = [];
  const svg = await page.$("#player .still svg");
  const size = await svg?.boundingBox();
  if (data.scene && !(size?.height > 50)) faults.push("no still picture without scripts");
  if (!(await page.$("math"))) faults.push("no formula without scripts");
  if (UPWARD[name]) faults.push(...(await stillFromAbove(page)));
  await page.close();
  return faults;
}
