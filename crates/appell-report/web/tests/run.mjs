// Writes the page of every model of the gallery, and of one that means harm, and opens each from the
// disk in a browser: node tests/run.mjs APPELL ZOO FOLDER

import { execFile } from "node:child_process";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch } from "./browser.mjs";
import { HOSTILE } from "./hostile.mjs";
import { inspect } from "./inspect.mjs";
import { UPWARD } from "./upward.mjs";

const [appell, zoo, folder] = process.argv.slice(2);
const run = promisify(execFile);
/** Pages written, and looked at, at the same time, each in a browser of its own. */
const AT_ONCE = process.env.FIREFOX ? 1 : 3;
/** Paper, fingers and old browsers meet the same script and style on every page: one in so many, or each where all is asked for. */
const SHARE = process.env.APPELL_PAGES === "whole" ? 1 : 4;
/** Bytes of a page. */
const LARGEST = 1_010_000;

const faults = [];
const counts = { pages: 0, readers: 0, placed: 0, hovered: 0, arrows: 0, formulas: 0, contrasts: 0, labelled: 0 };

async function written(model) {
  const page = join(folder, `${basename(model, ".toml")}.html`);
  try {
    await run(appell, ["report", model, "-o", page], { maxBuffer: 1 << 26 });
  } catch (error) {
    // A claim that does not hold or a motion that ends early still has its page.
    if (![1, 3, 4].includes(error.code)) throw error;
  }
  return page;
}

async function checked(browser, model, everyReader) {
  const name = basename(model, ".toml");
  try {
    const page = await written(model);
    const { size } = await stat(page);
    if (size > LARGEST) faults.push(`${name}: ${size} bytes`);
    const found = await inspect(browser, pathToFileURL(page).href, name, everyReader);
    faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
    for (const key of Object.keys(counts)) counts[key] += found.counts[key] ?? 0;
  } catch (error) {
    faults.push(`${name}: ${error.message}`);
  }
}

await mkdir(folder, { recursive: true });
const hostile = join(folder, "hostile.toml");
await writeFile(hostile, HOSTILE);
const gallery = (await readdir(zoo)).filter((file) => file.endsWith(".toml")).map((file) => join(zoo, file));
const upward = Object.entries(UPWARD).map(([name, { text }]) => ({ file: join(folder, `${name}.toml`), text }));
await Promise.all(upward.map(({ file, text }) => writeFile(file, text)));
// Some models only: node tests/run.mjs APPELL ZOO FOLDER NAME ...
const wanted = process.argv.slice(5);
const all = [...gallery, hostile, ...upward.map(({ file }) => file)];
const waiting = all
  .map((file, place) => ({ file, name: basename(file, ".toml"), place }))
  .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  .map(({ file, name, place }) => ({ file, everyReader: wanted.length > 0 || place % SHARE === 0 || name in UPWARD || name === "hostile" }));
const work = async () => {
  const browser = await launch();
  for (let next = waiting.shift(); next; next = waiting.shift()) await checked(browser, next.file, next.everyReader);
  await browser.close();
};
await Promise.all(Array.from({ length: AT_ONCE }, work));

// A test that looks at nothing would pass.
for (const [what, count] of Object.entries(counts)) {
  if (count === 0 && wanted.length === 0) faults.push(`no page has ${what} to look at`);
}
for (const fault of faults) console.error(`fault: ${fault}`);
console.error(`${process.env.FIREFOX ? "Firefox" : "Chromium"}: ${counts.pages} pages, ${counts.readers} of them for every reader; ${counts.arrows} arrows, ${counts.placed} of them on particles; ${counts.hovered} plots read; ${counts.formulas} formulas read twice; ${counts.contrasts} contrasts; ${counts.labelled} plots with their labels`);
process.exit(faults.length > 0 ? 1 : 0);
