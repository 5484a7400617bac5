// Links, files and hands that mean no good: the page stays alive, runs nothing, and says what is wrong.

import { PATIENCE } from "../../../appell-report/web/tests/browser.mjs";
import { deflateRawSync } from "node:zlib";

const status = (page) => page.evaluate(() => document.getElementById("status").textContent);
const link = (text) => `#1,${deflateRawSync(Buffer.from(text)).toString("base64url")}`;
const shared = (text, parameters = {}) => link(JSON.stringify({ text, parameters }));

const MODEL = (title, extra = "") => `title = ${JSON.stringify(title)}\ncoordinates = ["x"]\n${extra}[energy]\nkinetic = "x'^2/2"\n[initial]\nstate = ["x = 0", "x' = 1"]\n[simulate]\nuntil = 1\n`;
const SCRIPT = "<img src=x onerror=\"top.hurt=1\"><script>top.hurt=1</script>";

async function ends(page, said) {
  try {
    await page.waitForFunction((said) => new RegExp(said).test(document.getElementById("status").textContent), { timeout: PATIENCE }, said);
    return true;
  } catch {
    return false;
  }
}

/** After whatever came, a model of the gallery is shown as ever. */
async function lives(page, must, what) {
  await page.evaluate(() => (location.hash = "gallery/chaplygin-sleigh"));
  const shown = await page.waitForFunction(() => document.getElementById("page").contentDocument.querySelector("h1")?.textContent.includes("sleigh") && document.body.dataset.state === "ready", { timeout: PATIENCE }).catch(() => null);
  must(shown !== null, `after ${what} the lab is not alive: ${await status(page)}`);
}

export async function links(open, must) {
  const page = await open("#gallery/skate");
  await ends(page, "proofs after");
  const bomb = `#1,${deflateRawSync(Buffer.alloc(60_000_000, 32)).toString("base64url")}`;
  const cases = [
    ["no base64", "#1,%%%%", "damaged"],
    ["no deflate", "#1,AAAA", "damaged"],
    ["no JSON", link("hello"), "damaged"],
    ["null", link("null"), "damaged"],
    ["a list", link("[1]"), "damaged"],
    ["a number for a text", link('{"text":1}'), "damaged"],
    ["a bomb", bomb, "damaged|too long"],
    ["a long address", `#1,${"A".repeat(400_000)}`, "too long"],
    ["another version", "#9,AAAA", "another version"],
    ["a bad escape", "#gallery/%E0%A4%A", "no model"],
    ["a prototype", "#gallery/__proto__", "no model"],
    ["no exercise", "#exercise/constructor", "no exercise"],
    ["an empty model", shared(""), "fault"],
    ["deep brackets", shared(`a = ${"[".repeat(5000)}`), "fault"],
    ["deep formulas", shared(MODEL("deep").replace("x'^2/2", `${"(".repeat(20_000)}x'^2/2${")".repeat(20_000)}`)), "fault|stopped"],
    ["parameters of others", shared(MODEL("others"), { nobody: 1, "x=1;y": 2, "__proto__": 3 }), "fault|proofs after"],
    ["parameters that are no numbers", link(JSON.stringify({ text: MODEL("odd"), parameters: { a: "1", b: null, c: [] } })), "proofs after"],
    ["scripts", shared(MODEL(SCRIPT)), "proofs after"],
    ["an exercise with scripts", shared(`exercise = 1\ntitle = ${JSON.stringify(SCRIPT)}\nmodel = "skate"\n[[steps]]\ntext = ${JSON.stringify(SCRIPT)}\nclaim = { constant = "?" }\nhint = ${JSON.stringify(SCRIPT)}\n`), "proofs after"],
    ["an exercise of nothing", shared("exercise = 1\n"), "exercise has"],
  ];
  for (const [what, hash, said] of cases) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    must(await ends(page, said), `${what}: the lab never said ${said}, but: ${await status(page)}`);
  }
  must((await page.evaluate(() => window.hurt)) === undefined, "a script of a link was run");
  await lives(page, must, "hostile links");
  await page.close();
}

/** A model that takes for ever is given up for another, and one that is too deep restarts the engine. */
export async function endless(open, must) {
  const names = Array.from({ length: 14 }, (_, i) => `q${i}`);
  const kinetic = names.map((a, i) => names.map((b, k) => `${a}'*${b}'*(${i === k ? 9 : 0} + sin(${a}*${b} + ${i + k}))`).join(" + ")).join(" + ");
  const large = `coordinates = ${JSON.stringify(names)}\n[energy]\nkinetic = "(${kinetic})/2"\npotential = "${names.map((a) => `cos(${a})^3`).join("*")}"\n[constraints]\n${names.slice(0, 5).map((a, i) => `c${i} = "${a}'^3*sin(${names[i + 6]}) + ${names[i + 5]}'^2 = 1 + ${names[i + 7]}'*${a}'"`).join("\n")}\n[simulate]\nuntil = 1e9\n`;
  const page = await open(shared(large));
  await new Promise((done) => setTimeout(done, 2000));
  await lives(page, must, "an endless model");
  // Many edits while answers are under way: the last is what is shown.
  const text = await page.evaluate(() => window.appell.text());
  for (let i = 0; i < 25; i++) {
    await page.evaluate((text) => void window.appell.open(text), text.replace(/title\s*=.*/, `title = "edit ${i}"`));
    await new Promise((done) => setTimeout(done, 13 * (i % 5)));
  }
  const shown = await page.waitForFunction(() => document.getElementById("page").contentDocument.querySelector("h1")?.textContent === "edit 24" && document.body.dataset.state === "ready", { timeout: PATIENCE }).catch(() => null);
  must(shown !== null, `after quick edits the last is not shown: ${await status(page)}`);
  // Addresses that follow each other at once.
  await page.evaluate((bad) => {
    for (const hash of [bad, "gallery/skate", bad, "gallery/bicycle", "gallery/rolling-disc"]) location.hash = hash;
  }, "#1,AAAA");
  const last = await page.waitForFunction(() => document.getElementById("page").contentDocument.querySelector("h1")?.textContent.includes("disc rolling") && document.body.dataset.state === "ready", { timeout: PATIENCE }).catch(() => null);
  must(last !== null, `after quick addresses the last is not shown: ${await status(page)}`);
  await page.close();
}

/** Keeps the workers of a page at hand. */
export const watchWorkers = (page) =>
  page.evaluateOnNewDocument(() => {
    const Own = window.Worker;
    window.workers = [];
    window.Worker = class extends Own {
      constructor(...given) {
        super(...given);
        window.workers.push(this);
      }
    };
  });

/** A trap in the middle of an answer: it is said, the engine begins again, and the next answer is there. */
export async function trapped(open, must) {
  const page = await open("#gallery/bicycle", watchWorkers);
  await ends(page, "Proving");
  const before = await page.evaluate(() => {
    const count = window.workers.length;
    window.workers[0].onerror(new ErrorEvent("error"));
    return count;
  });
  must(await ends(page, "engine stopped"), `a trap is not told: ${await status(page)}`);
  must((await page.evaluate(() => window.workers.length)) > before, "no other engine was started");
  await lives(page, must, "a trap");
  // By the module itself, of which the memory ends.
  await page.evaluate(() => window.workers.at(-2)?.onmessage({ data: { id: -1, trap: "unreachable" } }));
  await lives(page, must, "a second trap");
  await page.close();
}

/** By keys alone: from the top of the page into every part, into the editor and out of it. */
export async function keyboard(open, must) {
  const page = await open("#exercise/skate");
  await ends(page, "proofs after");
  const seen = new Set();
  await page.evaluate(() => document.body.focus());
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const own = document.activeElement;
      return own?.id || own?.closest("[id]")?.id || own?.tagName;
    });
    seen.add(at);
    if (at === "editor") {
      await page.keyboard.press("Escape");
    }
    if (at === "page") break;
  }
  for (const id of ["gallery", "compare", "open", "share", "theme", "exercise", "editor", "parameters", "page"]) must(seen.has(id), `keys do not lead to ${id}: ${[...seen]}`);
  await page.close();
}
