// Opens charts of studies as pages: node tests/chart.mjs TOOL FOLDER
// The pointer and the keys tell the numbers of the cell or dot that is there; axe finds nothing serious.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [tool, given] = process.argv.slice(2);
const folder = join(resolve(given), "charts");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const MODEL = `
coordinates = ["x"]
parameters = { k = { value = 4, unit = "N/m" } }
[energy]
kinetic = "x'^2/2"
potential = "k*x^2/2"
[initial]
state = ["x = 1", "x' = 0"]
`;
// The largest x of a spring without friction is the amplitude.
const DESIGNS = {
  cells: `until = 8\n[grid]\nk = [1, 2, 3, 4]\nx = [0.5, 1, 1.5]\n[reduce]\nfar = { max = "x" }\n`,
  dots: `until = 8\n[sample]\ncount = 40\nseed = 5\n[sample.between]\nk = [1, 4]\nx = [0.5, 1.5]\n[reduce]\nfar = { max = "x" }\n`,
};

const faults = [];
const browser = await launch();
writeFileSync(join(folder, "spring.toml"), MODEL);
for (const [name, design] of Object.entries(DESIGNS)) {
  const file = (ending) => join(folder, `${name}${ending}`);
  writeFileSync(file(".toml"), design);
  execFileSync(tool, ["sweep", join(folder, "spring.toml"), "--design", file(".toml"), "-o", file(""), "-q"]);
  const axes = ["--x", "k", "--y", "x(0)", "--colour", "far"];
  execFileSync(tool, ["chart", file(""), ...axes, "-o", file(".html")]);
  const page = await browser.newPage();
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && faults.push(`${name}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || faults.push(`${name}: asks for ${request.url()}`));
  await page.goto(pathToFileURL(file(".html")).href, { waitUntil: "load" });
  const said = () => page.$eval("output", (own) => own.textContent);
  // From pixels of the drawing to those of the window.
  const point = async (x, y) => {
    const at = await page.evaluate(([x, y]) => {
      const place = new DOMPoint(x, y).matrixTransform(document.querySelector("svg").getScreenCTM());
      return [place.x, place.y];
    }, [x, y]);
    await page.mouse.move(...at);
    return said();
  };
  if (name === "cells") {
    // The third of four columns and the first of three rows from below.
    const found = await point(78 + (2.5 / 4) * 520, 44 + (2.5 / 3) * 420);
    if (found !== "k in N/m: 3;  x(0): 0.5;  far: 0.5;  member 6") faults.push(`cells: ${found}`);
    await page.$eval("svg", (own) => own.focus());
    await page.keyboard.press("ArrowUp");
    const up = await said();
    if (up !== "k in N/m: 3;  x(0): 1;  far: 1;  member 7") faults.push(`cells, a key: ${up}`);
  } else {
    const dot = await page.evaluate(() => {
      const { columns, rows, xs, ys } = JSON.parse(document.getElementById("data").textContent);
      return [columns[7], rows[7], `k in N/m: ${xs[7]};  x(0): ${ys[7]};  far: ${ys[7]};  member 7`];
    });
    const found = await point(dot[0], dot[1]);
    if (found !== dot[2]) faults.push(`dots: ${found}, not ${dot[2]}`);
  }
  const heard = await page.evaluate(() => {
    const { frame } = JSON.parse(document.getElementById("data").textContent);
    const svg = document.querySelector("svg");
    const at = new DOMPoint(frame.left + 1, frame.bottom - 1).matrixTransform(svg.getScreenCTM());
    const tap = { clientX: at.x, clientY: at.y, pointerType: "touch", bubbles: true };
    const before = document.querySelector("output").textContent;
    svg.dispatchEvent(new PointerEvent("pointerdown", tap));
    svg.dispatchEvent(new PointerEvent("pointerleave", tap));
    return [before, document.querySelector("output").textContent];
  });
  if (name === "cells" && (heard[0] === heard[1] || !heard[1].endsWith("member 0"))) faults.push(`a tap: ${heard[1]}`);
  const outside = await point(5, 5);
  if (!outside.startsWith("Point at")) faults.push(`${name}, outside: ${outside}`);
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
  for (const { id, impact } of violations) {
    if (["serious", "critical"].includes(impact)) faults.push(`${name}: axe: ${id}`);
  }
  await page.close();
}
await browser.close();
faults.forEach((fault) => console.error(fault));
console.log(`${Object.keys(DESIGNS).length} charts as pages, ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
