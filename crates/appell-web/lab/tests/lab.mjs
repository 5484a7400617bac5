// The lab in a browser, opened from the disk: node tests/lab.mjs LAB.html MODULE.wasm APPELL ZOO

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { launch, PATIENCE, patient, resize } from "../../../appell-report/web/tests/browser.mjs";
import { assets } from "../assets.mjs";
import { comparisons, exercises, nudges } from "./classroom.mjs";
import { endless, keyboard, links, trapped } from "./hostile.mjs";
import { pulls, touched } from "./pulls.mjs";
import { alone, differences, inside } from "./same.mjs";
import { speed } from "./speed.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [lab, module, appell, zoo] = process.argv.slice(2);
const url = pathToFileURL(lab).href;
const faults = [];
const must = (holds, what) => holds || faults.push(what);

const status = (page) => page.evaluate(() => document.getElementById("status").textContent);
const text = (page) => page.evaluate(() => window.appell.text());

/** Until the lab says so. */
async function until(page, said) {
  try {
    await page.waitForFunction((said) => new RegExp(said).test(document.getElementById("status").textContent), { timeout: PATIENCE }, said.source);
  } catch {
    throw new Error(`the lab never said ${said}, but: ${await status(page)}`);
  }
}

const DONE = /proofs after [\d.]+ s\.$/;

/** The page in the frame, once it is there. */
async function shown(page, title) {
  await page.waitForFunction((title) => document.getElementById("page").contentDocument.querySelector("h1")?.textContent.includes(title) && document.body.dataset.state === "ready", { timeout: PATIENCE }, title);
  return page.evaluate(() => {
    const inside = document.getElementById("page").contentDocument;
    const data = inside.getElementById("data").textContent;
    return {
      formulas: inside.querySelectorAll("#equations math").length,
      tabs: inside.querySelectorAll("[role=tab]").length,
      stage: inside.querySelector("svg.stage") !== null,
      times: JSON.parse(data).times.length,
      data,
    };
  });
}

async function opened(browser, hash = "", prepare = async () => undefined) {
  const page = await browser.newPage();
  patient(page);
  await prepare(page);
  await resize(page, { width: 1280, height: 900 });
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => /^(file|blob|data|about):/.test(request.url()) || faults.push(`request: ${request.url()}`));
  await page.goto(url + hash);
  return page;
}

/** A motion is kept beside the next one, at the same instant. */
async function compared(browser) {
  const page = await opened(browser, "#gallery/skate");
  await shown(page, "Skate");
  await page.waitForFunction(() => document.querySelector("#compare option[value=kept]"), { timeout: PATIENCE });
  await page.select("#compare", "kept");
  await page.waitForFunction(() => document.querySelector(".kept iframe")?.contentDocument?.querySelector("svg.stage"), { timeout: PATIENCE });
  const before = (await shown(page, "Skate")).data;
  await page.evaluate(() => {
    const slider = document.querySelector("input[type=range][data-parameter=alpha]");
    slider.value = "0.1";
    slider.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction((before) => document.getElementById("page").contentDocument.getElementById("data").textContent !== before && document.body.dataset.state === "ready", { timeout: PATIENCE }, before);
  const [kept, times] = await page.evaluate(() => {
    const frames = [...document.querySelectorAll("#right iframe")].map((frame) => frame.contentDocument);
    const range = frames[0].querySelector("input[type=range]");
    range.value = "5";
    range.dispatchEvent(new Event("input"));
    return [frames[1].getElementById("data").textContent, frames.map((frame) => frame.querySelector("output.time").textContent)];
  });
  must(kept === before, "the motion that was kept has changed");
  must(times[0] === times[1] && times[0] === "t = 5.000", `two motions are not at the same instant: ${times}`);
  await page.select("#compare", "");
  must((await page.$(".kept")) === null, "a comparison does not end");
  await page.close();
}

/** The motion alone, for a slide. */
async function embedded(browser) {
  const page = await opened(browser, "#embed/gallery/skate");
  await shown(page, "Skate");
  const seen = await page.evaluate(() => {
    const inside = document.getElementById("page").contentDocument;
    const visible = (element) => element !== null && element.getClientRects().length > 0;
    return [visible(document.getElementById("left")), visible(inside.getElementById("equations")), visible(inside.querySelector("svg.stage"))];
  });
  must(seen.join() === "false,false,true", `the motion does not stand alone: ${seen}`);
  await page.close();
}

/** `appell lab` serves it with a model, and nothing is asked of anyone else. */
async function served(browser) {
  const server = spawn(appell, ["lab", `${zoo}/skate.toml`, "--no-open", "--lab", lab], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [address] = await once(server.stdout, "data");
    const page = await browser.newPage();
    patient(page);
    const [own] = String(address).split("\n");
    page.on("console", (message) => ["error", "warn"].includes(message.type()) && faults.push(`console, served: ${message.text()}`));
    page.on("request", (request) => /^(blob|data|about):/.test(request.url()) || request.url().startsWith(own) || faults.push(`request: ${request.url()}`));
    await page.goto(own);
    await shown(page, "Skate");
    await page.close();
  } finally {
    server.kill();
  }
}

/** What the page in the frame has after each of its changes, however few frames a busy machine draws. */
function watched(page) {
  return page.evaluateOnNewDocument(() => {
    if (window === top) return void (window.seen = []);
    if (frameElement?.id !== "page") return;
    const { seen } = top;
    const look = () => {
      const now = ["equations", "motion", "proof"].filter((id) => document.getElementById(id)).join(" ");
      if (now !== seen.at(-1)) seen.push(now);
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  });
}

async function begins(browser) {
  const first = await opened(browser);
  await watched(first);
  await first.reload();
  await until(first, DONE);
  const { formulas, tabs, stage, times } = await shown(first, "pucks");
  must(formulas > 0 && tabs > 5 && stage && times > 100, "the first page lacks equations or a motion");
  const seen = await first.evaluate(() => window.seen);
  must(seen.includes("equations") && seen.includes("equations motion"), `the page is not shown part by part: ${seen.join(", ")}`);
  await accessible(first);
  return first;
}

/** No serious fault in the lab or in its frame. */
async function accessible(page) {
  for (const frame of page.frames()) {
    await frame.evaluate(AXE);
    const { violations } = await frame.evaluate(() => window.axe.run(document, { iframes: false }));
    const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    for (const { id, nodes } of grave) faults.push(`axe: ${id}: ${nodes[0].html.slice(0, 150)}`);
  }
}

/** A word that is no name is underlined, and said in words; corrected, the page is there again. */
async function faulty(page) {
  await page.evaluate(() => {
    location.hash = "gallery/skate";
  });
  await shown(page, "Skate");
  const content = await page.$("#editor >>> .cm-content");
  await content.focus();
  await page.keyboard.down("Control");
  await page.keyboard.press("End");
  await page.keyboard.up("Control");
  await page.keyboard.type("\n[bodie]\n");
  await until(page, /fault/);
  const marked = await page.evaluate(() => document.querySelector("#editor").shadowRoot.querySelectorAll(".cm-lintRange-error, .cm-lintPoint-error").length);
  must(marked > 0, "an error is not underlined");
  must((await page.evaluate(() => document.getElementById("problems").textContent)).includes("bodie"), "an error is not said");
  for (let count = 0; count < 9; count++) await page.keyboard.press("Backspace");
  await until(page, DONE);
  must((await page.evaluate(() => document.getElementById("problems").textContent)) === "", "a corrected error is still said");
}

/** A model that cannot move is derived and proved all the same, and it is said why it does not move. */
async function still(browser) {
  const page = await opened(browser, "#gallery/skate");
  await until(page, DONE);
  const endless = (await text(page)).replace("until = 10.0", "");
  await page.evaluate((text) => window.appell.open(text), endless);
  await until(page, /does not move/);
  await page.waitForFunction(() => document.body.dataset.state === "failed");
  const inside = await page.evaluate(() => {
    const frame = document.getElementById("page").contentDocument;
    return { proofs: frame.getElementById("proof") !== null, motion: frame.getElementById("motion") !== null, said: document.getElementById("problems").textContent };
  });
  must(inside.proofs && !inside.motion && inside.said.includes("until"), "a model without an end time is not shown as far as it goes");
  await page.close();
}

/** A slider changes the motion, and the address keeps it. */
async function turned(browser, page) {
  const before = (await shown(page, "Skate")).data;
  await page.evaluate(() => {
    const slider = document.querySelector("input[type=range][data-parameter=alpha]");
    for (const part of [0.5, 0.6, 0.7, 0.8, 0.9]) {
      slider.value = String(Number(slider.max) * part);
      slider.dispatchEvent(new Event("input"));
    }
  });
  const now = await page.evaluate(() => document.querySelector("input[type=range][data-parameter=alpha]").value);
  await page.waitForFunction((before) => document.getElementById("page").contentDocument.getElementById("data").textContent !== before && document.body.dataset.state === "ready", { timeout: PATIENCE }, before);
  const row = await page.evaluate(() => [...document.getElementById("page").contentDocument.querySelectorAll("#model tbody tr")].find((row) => row.textContent.includes("slope"))?.textContent ?? "");
  must(row.includes(String(Number(Number(now).toPrecision(4)))), `the last place of a slider is not what is shown: ${now}, ${row}`);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#1,"), { timeout: PATIENCE });
  const hash = await page.evaluate(() => location.hash);
  const [model, data] = [await text(page), (await shown(page, "Skate")).data];
  const other = await opened(browser, hash);
  await until(other, DONE);
  must((await text(other)) === model, "an address does not bring the model back");
  must((await shown(other, "Skate")).data === data, "an address does not bring the parameters back");
  await other.close();
  const damaged = await opened(browser, hash.slice(0, -20));
  await until(damaged, /damaged/);
  await damaged.close();
}

/** A long question is given up for a shorter one. */
async function superseded(page) {
  await page.evaluate(() => {
    location.hash = "gallery/bicycle";
  });
  await until(page, /Proving/);
  await page.evaluate(() => {
    location.hash = "gallery/chaplygin-sleigh";
  });
  await shown(page, "sleigh");
  must(DONE.test(await status(page)), "a longer question was not given up for a shorter one");
}

async function code(page) {
  await page.click("#code summary");
  await page.waitForFunction(() => document.getElementById("source").textContent.length > 200, { timeout: PATIENCE });
}

/** A saved page carries its style and its script. */
async function saves(page) {
  const html = await page.evaluate(async () => {
    const given = URL.createObjectURL;
    const saved = new Promise((done) => {
      URL.createObjectURL = (blob) => (done(blob.text()), given.call(URL, blob));
    });
    document.getElementById("report").click();
    const html = await saved;
    URL.createObjectURL = given;
    return html;
  });
  for (const part of [`<style>${assets.style}</style>`, `<script>${assets.script}</script>`, "<math"]) must(html.includes(part), `a saved page lacks ${part.slice(0, 40)}`);
}

const firefox = Boolean(process.env.FIREFOX);
const browser = await launch();
const open = (hash, prepare) => opened(browser, hash, prepare);
let first = null;
const parts = {
  begins: async () => (first = await begins(browser)),
  faulty: () => faulty(first),
  turned: () => turned(browser, first),
  superseded: () => superseded(first),
  code: () => code(first),
  saves: () => saves(first),
  still: () => still(browser),
  compared: () => compared(browser),
  embedded: () => embedded(browser),
  served: () => served(browser),
  pulls: () => pulls(() => open("#gallery/perpendicular"), must),
  exercises: () => exercises(open, must),
  nudges: () => nudges(open, must),
  comparisons: () => comparisons(open, must),
  links: () => links(open, must),
  endless: () => endless(open, must),
  trapped: () => trapped(open, must),
  keyboard: () => keyboard(open, must),
  reading: async () => {
    const page = await open("#exercise/skate");
    await until(page, DONE);
    await accessible(page);
    await page.close();
  },
  touch: async () => {
    const phone = await open("#gallery/perpendicular");
    await accessible(phone);
    await touched(phone, must);
  },
};
const only = process.env.PARTS?.split(",");
for (const [name, part] of Object.entries(parts)) {
  if (only && !only.includes(name)) continue;
  try {
    await part();
  } catch (error) {
    faults.push(`${name}: ${error.stack}`);
  }
}
if (!only || only.includes("speed")) if (!firefox) await speed(open, module, zoo);
let count = 0;
if (!only || only.includes("same")) {
  // In Firefox by its own engine of WebAssembly.
  const asked = firefox ? inside(await open("#gallery/skate").then(async (page) => (await until(page, DONE), page))) : await alone(module);
  const same = await differences(appell, asked, zoo);
  faults.push(...same.faults);
  count = same.count;
}
await browser.close();
for (const fault of faults) console.error(`fault: ${fault}`);
console.error(`the lab in ${firefox ? "Firefox" : "Chromium"}; ${count} models as the tool has them`);
process.exit(faults.length > 0 ? 1 : 0);
