// Opens pages of the documentation from the disk in a browser: node tests/site.mjs SITE
// No request leaves the disk, nothing stands on the console, axe finds no serious fault, and the search finds a word.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, PATIENCE } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SITE = resolve(process.argv[2]);
const PAGES = [
  "docs/index.html",
  "docs/tutorial.html",
  "docs/format.html",
  "docs/errors.html",
  "docs/glossary.html",
  "docs/theory.html",
  "docs/python.html",
  "docs/python-api.html",
  "docs/commands/appell-run.html",
  "docs/how-to/rolling-contact.html",
  "docs/gallery/skate.html",
  "docs/gallery/bicycle.html",
];

const faults = [];
const browser = await launch();

async function opened(path, query = "") {
  const page = await browser.newPage();
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) faults.push(`${path}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${path}: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`${path}: asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(SITE, path)).href + query, { waitUntil: "load" });
  return page;
}

for (const path of PAGES) {
  const page = await opened(path);
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run({ exclude: [["math"]] }, { resultTypes: ["violations"], preload: false });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes[0]?.html.slice(0, 160), count: nodes.length }));
  });
  for (const { id, impact, where, count } of violations) {
    if (["serious", "critical"].includes(impact)) faults.push(`${path}: axe: ${id} (${count}): ${where}`);
  }
  await page.close();
}

const page = await opened("docs/index.html", "?search=contrived");
try {
  await page.waitForSelector("#mdbook-searchresults li, #searchresults li", { timeout: PATIENCE });
} catch {
  faults.push("the search does not find `contrived`");
}
await browser.close();

if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
console.log(`${PAGES.length} pages of the documentation hold in a browser, and the search finds`);
