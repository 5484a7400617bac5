// Formulas that wait are written by the page's script: as those that stand ready, to the last element.

import { buildSync } from "esbuild";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/latex.ts", import.meta.url));
const READER = buildSync({ entryPoints: [source], bundle: true, write: false, format: "iife", globalName: "latexReader", target: "es2022" }).outputFiles[0].text;

/** Every formula that stands ready, read anew from its LaTeX; and formulas that wait come when they are seen. */
export async function formulas(page, data, counts) {
  await page.evaluate(`${READER}; globalThis.latexReader = latexReader;`);
  const { faults, compared } = await page.evaluate(() => {
    const faults = [];
    const ready = [...document.querySelectorAll("math[display=block]")];
    for (const math of ready) {
      const latex = math.querySelector("annotation").textContent;
      const again = globalThis.latexReader.display(latex);
      if (again.outerHTML === math.outerHTML) continue;
      const [a, b] = [math.outerHTML, again.outerHTML];
      let at = 0;
      while (a[at] === b[at]) at += 1;
      faults.push(`the readers of LaTeX differ: ${a.slice(at - 60, at + 60)} :: ${b.slice(at - 60, at + 60)}`);
    }
    return { faults: faults.slice(0, 3), compared: ready.length };
  });
  counts.formulas = (counts.formulas ?? 0) + compared;
  if (!data.late) return faults;
  // The shortest of each form comes into sight. Other pages may take the front meanwhile, and frames with it.
  let left = 0;
  const tabs = await page.$$eval("[role=tab]", (tabs) => tabs.length);
  for (let index = 0; index < tabs; index++) {
    const open = (on) =>
      page.evaluate((index, on) => {
        const tab = document.querySelectorAll("[role=tab]")[index];
        const panel = document.getElementById(tab.getAttribute("aria-controls"));
        const size = (formula) => Number(/\d+/.exec(formula.textContent)?.[0]);
        const waiting = [...panel.querySelectorAll(".late")].sort((a, b) => size(a) - size(b));
        const formula = panel.querySelector("[data-watched]") ?? waiting[0];
        if (!formula) return "none";
        formula.dataset.watched = "";
        tab.click();
        for (let fold = formula.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = on;
        if (on) formula.scrollIntoView({ behavior: "instant" });
        return formula.querySelector("math") ? "there" : "waits";
      }, index, on);
    let state = await open(true);
    for (let tries = 0; tries < 60 && state === "waits"; tries++) {
      await new Promise((done) => setTimeout(done, 100));
      state = await open(true);
    }
    if (state === "waits") left += 1;
    await open(false);
  }
  await page.evaluate(() => {
    document.querySelector("[role=tab]")?.click();
    scrollTo({ top: 0, behavior: "instant" });
  });
  if (left > 0) faults.push(`${left} formulas wait where they are to be seen`);
  return faults;
}
