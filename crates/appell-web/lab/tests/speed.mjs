// How long things take, for reading: nothing here can fail.

import { PATIENCE } from "../../../appell-report/web/tests/browser.mjs";
import { readFileSync, readdirSync } from "node:fs";
import { engine } from "../engine.mjs";

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? NaN;
const ms = (x) => (x >= 100 ? x.toFixed(0) : x.toFixed(1)).padStart(7) + " ms";
const say = (what, time, aim) => console.error(`  ${what.padEnd(58)}${ms(time)}${aim === undefined ? "" : `  (aim ${aim} ms)`}`);

/** From the navigation on. */
const watch = (page) =>
  page.evaluateOnNewDocument(() => {
    if (window !== top) return;
    window.marks = {};
    const look = () => {
      const inside = document.getElementById("page")?.contentDocument;
      for (const [name, selector] of [["equations", "#equations math"], ["motion", "svg.stage"], ["proofs", "#proof"]]) if (!window.marks[name] && inside?.querySelector(selector)) window.marks[name] = performance.now();
      if (!window.marks.proofs) requestAnimationFrame(look);
    };
    look();
  });

const ready = (page) => page.waitForFunction(() => document.body.dataset.state === "ready", { timeout: PATIENCE });

/** From an act in the page until what is shown has changed. */
const changing = (page, act, what) =>
  page.evaluate(
    (act, what) =>
      new Promise((done) => {
        const inside = () => document.getElementById("page").contentDocument;
        // Before a new motion there may be none.
        const motion = () => ((text) => (/"times":\[[^\]]/.test(text) ? text : undefined))(inside().getElementById("data").textContent);
        const now = () => (what === "data" ? motion() : inside().querySelector("#equations")?.innerHTML);
        const [before, begun] = [now(), performance.now()];
        const look = () => (now() !== undefined && now() !== before ? done(performance.now() - begun) : performance.now() - begun > 60_000 ? done(NaN) : setTimeout(look, 1));
        new Function(act)();
        look();
      }),
    act,
    what,
  );

async function first(open) {
  const times = [];
  for (let i = 0; i < 3; i++) {
    const page = await open("#gallery/skate", watch);
    await ready(page);
    const marks = await page.evaluate(() => ({ ...window.marks, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN }));
    times.push(marks);
    await page.close();
  }
  for (const [name, what, aim] of [["paint", "first paint", 1000], ["equations", "first equations (skate)", 2000], ["motion", "first motion (skate)"], ["proofs", "first proofs (skate)"]]) say(`${what}: the first visit`, times[0][name], aim);
  say("first equations (skate): again", Math.min(...times.slice(1).map((own) => own.equations)), 300);
}

async function edits(open) {
  const page = await open("#gallery/skate");
  await ready(page);
  const edit = (i, what) => changing(page, `window.appell.text().then((text) => window.appell.change(text.replace(/m     = \\{ value = [\\d.]+/, "m     = { value = ${1 + i / 8}").replace(/1\\/2\\*m\\*\\(|[\\d.]+\\*m\\*\\(/, "${(0.5 + i / 100).toFixed(3)}*m*(")))`, what);
  const [equations, motion, sliders] = [[], [], []];
  for (let i = 1; i < 6; i++) {
    equations.push(await edit(2 * i, "equations"));
    await ready(page);
    motion.push(await edit(2 * i + 1, "data"));
    await ready(page);
    sliders.push(await changing(page, `const slider = document.querySelector("input[type=range][data-parameter=alpha]"); slider.value = String(${0.1 + i / 20}); slider.dispatchEvent(new Event("input"))`, "data"));
    await ready(page);
  }
  say("an edit of the skate to new equations", median(equations), 100);
  say("an edit of the skate to a new motion", median(motion), 100);
  say("a slider of the skate to a new motion", median(sliders), 100);
  await page.close();
  const bicycle = await open("#gallery/bicycle", watch);
  await bicycle.waitForFunction(() => window.marks.motion, { timeout: PATIENCE });
  await ready(bicycle);
  const marks = await bicycle.evaluate(() => window.marks);
  const again = await changing(bicycle, `const slider = document.querySelector("input[type=range][data-parameter]"); slider.value = String(1.02 * Number(slider.value)); slider.dispatchEvent(new Event("input"))`, "data");
  say("the bicycle: equations, after the first paint", marks.equations);
  say("the bicycle: its motion after its equations", marks.motion - marks.equations, 1000);
  say("the bicycle: all proofs", marks.proofs);
  say("the bicycle: a slider to a new motion", again, 1000);
  await bicycle.close();
}

/** Frames of the screen while a velocity is dragged. */
async function dragging(open) {
  const page = await open("#gallery/perpendicular");
  await ready(page);
  const frame = await (await page.$("#page")).contentFrame();
  await frame.waitForFunction(() => document.querySelector(".pulls")?.getAttribute("visibility") === "visible", { timeout: PATIENCE });
  const box = await (await frame.$("[data-velocity=P1]")).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => {
    window.frames_ = [];
    const tick = (t) => (window.frames_.push(t), requestAnimationFrame(tick));
    requestAnimationFrame(tick);
  });
  for (let i = 0; i < 120; i++) await page.mouse.move(x + 50 * Math.sin(i / 9), y - 30 * Math.cos(i / 7));
  const gaps = await page.evaluate(() => window.frames_.slice(1).map((t, i) => t - window.frames_[i]));
  await page.mouse.up();
  say(`a velocity dragged: between frames, of ${gaps.length}`, median(gaps), 17);
  await page.close();
}

/** What the engine alone takes of the processor, however busy that is. */
const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function engines(module, zoo) {
  const compiled = await WebAssembly.compile(readFileSync(module));
  for (const name of ["skate", "rolling-disc", "bicycle"]) {
    const [ask, text] = [await engine(compiled), readFileSync(`${zoo}/${name}.toml`, "utf8")];
    const { name: parameter, value } = ask({ ask: "open", text }).ok.model.parameters[0];
    const [edits, slides] = [[], []];
    for (let i = 1; i < 9; i++) {
      const [other, parameters] = [`# ${i}\n${text}`, [`${parameter}=${value * (1 + i / 100)}`]];
      let begun = used();
      for (const question of [{ ask: "open" }, { ask: "part", id: "equations" }, { ask: "part", id: "motion" }]) ask({ ...question, text: other });
      edits.push(used() - begun);
      begun = used();
      for (const question of [{ ask: "open" }, { ask: "part", id: "motion" }]) ask({ ...question, text, parameters });
      slides.push(used() - begun);
    }
    say(`${name}: the engine alone, an edit to equations and motion`, median(edits), name === "bicycle" ? 1000 : 100);
    say(`${name}: the engine alone, a slider to a motion`, median(slides), name === "bicycle" ? 1000 : 100);
  }
}

/** The state nearest to one that the constraints forbid, for every model; the slowest are named. */
async function projections(module, zoo) {
  const compiled = await WebAssembly.compile(readFileSync(module));
  const found = [];
  for (const file of readdirSync(zoo).filter((own) => own.endsWith(".toml"))) {
    const [ask, text] = [await engine(compiled), readFileSync(`${zoo}/${file}`, "utf8")];
    const start = ask({ ask: "start", text }).ok;
    const velocity = start?.handles[0]?.velocity;
    if (!start) continue;
    const times = [];
    for (let i = 0; i < 20; i++) {
      const to = velocity ? { point: 0, velocity: velocity.map((x, k) => x + 0.01 * (k + 1) * (1 + i)) } : {};
      const v = start.v.map((x, k) => x + 0.01 * (k + i));
      const begun = used();
      ask({ ask: "pull", text, state: { t: start.t, q: start.q, v: velocity ? start.v : v }, ...to });
      times.push(used() - begun);
    }
    // The first makes what the others use.
    found.push([file.replace(".toml", ""), median(times.slice(1))]);
  }
  found.sort((a, b) => b[1] - a[1]);
  for (const [name, time] of found.slice(0, 3)) say(`a pull of ${name}`, time, 1);
  say(`a pull: the median of ${found.length} models`, median(found.map(([, time]) => time)), 1);
}

export async function speed(open, module, zoo) {
  console.error("what takes how long on this machine, as it is busy now:");
  for (const part of [() => first(open), () => edits(open), () => dragging(open), () => engines(module, zoo), () => projections(module, zoo)]) {
    try {
      await part();
    } catch (why) {
      console.error(`  not measured: ${why.message}`);
    }
  }
}
