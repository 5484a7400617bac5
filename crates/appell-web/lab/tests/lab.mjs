// The lab in a browser, opened from the disk: node tests/lab.mjs LAB.html MODULE.wasm APPELL ZOO

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { launch } from "../../../appell-report/web/tests/browser.mjs";
import { differences } from "./same.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [lab, module, appell, zoo] = process.argv.slice(2);
const url = pathToFileURL(lab).href;
const faults = [];
const must = (holds, what) => holds || faults.push(what);

const status = (page) => page.evaluate(() => document.getElementById("status").textContent);
const text = (page) => page.evaluate(() => document.querySelector("#editor").shadowRoot.querySelector(".cm-content").textContent);

/** Until the lab says so. */
async function until(page, said) {
  try {
    await page.waitForFunction((said) => new RegExp(said).test(document.getElementById("status").textContent), { timeout: 120_000 }, said.source);
  } catch {
    throw new Error(`the lab never said ${said}, but: ${await status(page)}`);
  }
}

const DONE = /motion in [\d.]+ s/;

/** The page in the frame, once it is there. */
async function shown(page, title) {
  await page.waitForFunction(
    (title) => {
      const inside = document.getElementById("page").contentDocument;
      return inside?.readyState === "complete" && inside.querySelector("h1")?.textContent.includes(title);
    },
    { timeout: 60_000 },
    title,
  );
  return page.evaluate(() => {
    const inside = document.getElementById("page").contentDocument;
    return {
      formulas: inside.querySelectorAll("#equations math").length,
      tabs: inside.querySelectorAll("[role=tab]").length,
      stage: inside.querySelector("svg.stage") !== null,
      times: JSON.parse(inside.getElementById("data").textContent).times.length,
      data: inside.getElementById("data").textContent,
    };
  });
}

async function opened(browser, hash = "") {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => /^(file|blob|data|about):/.test(request.url()) || faults.push(`request: ${request.url()}`));
  await page.goto(url + hash);
  return page;
}

async function begins(browser) {
  const page = await opened(browser);
  await until(page, DONE);
  const { formulas, tabs, stage, times } = await shown(page, "pucks");
  must(formulas > 0 && tabs > 5 && stage && times > 100, "the first page lacks equations or a motion");
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { iframes: false }));
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  for (const { id, nodes } of grave) faults.push(`axe: ${id}: ${nodes[0].html.slice(0, 150)}`);
  return page;
}

/** A word that is no name is underlined, and said in words; mended, the page is there again. */
async function faulty(page) {
  await page.evaluate(() => {
    location.hash = "gallery/skate";
  });
  await shown(page, "Skate");
  const content = await page.$("#editor >>> .cm-content");
  await content.click();
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
  must((await page.evaluate(() => document.getElementById("problems").textContent)) === "", "a mended error is still said");
}

/** A slider changes the motion, and the address keeps it. */
async function turned(browser, page) {
  const before = (await shown(page, "Skate")).data;
  await page.evaluate(() => {
    const slider = document.querySelector(".parameter input[type=range]");
    slider.value = String(Number(slider.max) * 0.9);
    slider.dispatchEvent(new Event("input"));
  });
  await until(page, /Deriving|Reading/);
  await until(page, DONE);
  await page.waitForFunction(
    (before) => {
      const data = document.getElementById("page").contentDocument?.getElementById("data");
      return data && data.textContent !== before;
    },
    { timeout: 60_000 },
    before,
  );
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#1,"), { timeout: 5_000 });
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
  await until(page, /Deriving/);
  await page.evaluate(() => {
    location.hash = "gallery/chaplygin-sleigh";
  });
  await shown(page, "sleigh");
  must(DONE.test(await status(page)), "a longer question was not given up for a shorter one");
}

async function code(page) {
  await page.click("#code summary");
  await page.waitForFunction(() => document.getElementById("source").textContent.length > 200, { timeout: 60_000 });
}

const browser = await launch();
try {
  const page = await begins(browser);
  await faulty(page);
  await turned(browser, page);
  await superseded(page);
  await code(page);
} catch (error) {
  faults.push(error.message);
}
await browser.close();
const same = await differences(appell, module, zoo);
faults.push(...same.faults);
for (const fault of faults) console.error(`fault: ${fault}`);
console.error(`the lab in a browser; ${same.count} models as the tool has them`);
process.exit(faults.length > 0 ? 1 : 0);
