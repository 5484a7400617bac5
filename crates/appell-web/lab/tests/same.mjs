// Whether the engine writes what the tool writes: equations and proofs of every model of the gallery, to the letter;
// numbers of the motion to rounding.

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { readFileSync } from "node:fs";
import { assets } from "../assets.mjs";
import { engine } from "../engine.mjs";

const run = promisify(execFile);
/** Of the largest number of a curve; what should be zero is rounding. */
const NEAR = 1e-6;
const ROUNDING = 1e-9;

async function native(appell, model) {
  try {
    return (await run(appell, ["report", model, "-o", "-"], { maxBuffer: 1 << 26 })).stdout;
  } catch (error) {
    if ([1, 3, 4].includes(error.code)) return error.stdout;
    throw error;
  }
}

const section = (html, id) => new RegExp(`<section id="${id}"[\\s\\S]*?</section>`).exec(html)?.[0] ?? "";
const data = (html) => JSON.parse(/<script[^>]*id="data"[^>]*>([\s\S]*?)<\/script>/.exec(html)[1]);

/** The last numbers of the curves of all plots. */
function ends(page) {
  const curves = page.plots.flatMap(({ log, series }) => (log ? [] : series.filter(({ scattered }) => !scattered)));
  return curves.map(({ y }) => ({ end: y.at(-1), size: Math.max(...y.filter((x) => x !== null).map(Math.abs), 0) }));
}

/** Answers from the module itself, a fresh one for each model: a trap must not spoil the next. */
export async function alone(module) {
  const compiled = await WebAssembly.compile(readFileSync(module));
  return async (question) => (await engine(compiled))(question);
}

/** Answers from the lab in a browser. */
export const inside = (page) => (question) =>
  page.evaluate((question) => window.appell.ask(question).then((ok) => ({ ok }), (why) => ({ error: [{ message: String(why.message) }] })), question);

/** What differs between the tool and the answers, in words. */
export async function differences(appell, ask, zoo) {
  const faults = [];
  const files = (await readdir(zoo)).filter((file) => file.endsWith(".toml"));
  for (const file of files) {
    const name = basename(file, ".toml");
    try {
      const text = readFileSync(join(zoo, file), "utf8");
      const [theirs, { ok, error }] = [await native(appell, join(zoo, file)), await ask({ ask: "page", name: file, text, ...assets })];
      if (error) {
        faults.push(`${name}: ${error[0].message}`);
        continue;
      }
      for (const id of ["equations", "proof"]) {
        if (section(theirs, id) === "" || section(theirs, id) !== section(ok.html, id)) faults.push(`${name}: other ${id}`);
      }
      const [head, other] = [theirs, ok.html].map((html) => html.slice(0, html.indexOf("</head>")));
      if (head !== other) faults.push(`${name}: another head`);
      const [a, b] = [data(theirs), data(ok.html)];
      if (a.late !== b.late) faults.push(`${name}: other equations behind folds`);
      const far = ends(a).filter(({ end, size }, i) => Math.abs((end ?? 0) - (ends(b)[i]?.end ?? 0)) > NEAR * size + ROUNDING);
      if (far.length > 0 || ends(a).length !== ends(b).length) faults.push(`${name}: another motion`);
    } catch (error) {
      faults.push(`${name}: ${error.message}`);
    }
  }
  return { faults, count: files.length };
}
