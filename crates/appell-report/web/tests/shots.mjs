// Pictures of pages, to be looked at: node tests/shots.mjs FOLDER PAGE.html ...
import { launch } from "./browser.mjs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...pages] = process.argv.slice(2);
const VIEWS = [
  { name: "light-wide", width: 1280, height: 900, scheme: "light" },
  { name: "dark-wide", width: 1280, height: 900, scheme: "dark" },
  { name: "light-narrow", width: 400, height: 860, scheme: "light" },
];
const browser = await launch();
for (const file of pages) {
  for (const { name, width, height, scheme } of VIEWS) {
    const page = await browser.newPage();
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(pathToFileURL(file).href);
    await page.evaluate(() => {
      const range = document.querySelector("input[type=range]");
      if (!range) return;
      range.value = String(Number(range.min) + 0.42 * (Number(range.max) - Number(range.min)));
      range.dispatchEvent(new Event("input"));
    });
    await new Promise((done) => setTimeout(done, 250));
    await page.screenshot({ path: `${folder}/${basename(file, ".html")}-${name}.png`, fullPage: process.env.FULL === "1" });
    await page.close();
  }
}
await browser.close();
