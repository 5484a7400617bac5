// Points of the picture that are pulled: by the pointer, by fingers, by keys, and by numbers.

import { PATIENCE, resize } from "../../../appell-report/web/tests/browser.mjs";

const RESIDUAL = 1e-12;

const ready = (page) => page.waitForFunction(() => document.body.dataset.state === "ready", { timeout: PATIENCE });

/** The frame, when the handles are there. */
async function held(page) {
  await ready(page);
  const frame = await (await page.$("#page")).contentFrame();
  await frame.waitForFunction(() => document.querySelector(".pulls")?.getAttribute("visibility") === "visible", { timeout: PATIENCE });
  return frame;
}

/** The middle of a handle on the screen. */
async function place(frame, selector) {
  const handle = await frame.$(selector);
  const { x, y, width, height } = await handle.boundingBox();
  return [x + width / 2, y + height / 2];
}

/** What the lab is told of a start, as numbers by name. */
function state(page) {
  return page.evaluate(() => Object.fromEntries([...document.querySelectorAll("[data-start]")].map((field) => [field.dataset.start, Number(field.value)])));
}

async function told(frame, selector) {
  return frame.$eval(selector, ({ dataset }) => [Number(dataset.residual), Number(dataset.discarded)]);
}

/** A change of the start that is shown. */
async function changed(page, before) {
  await page.waitForFunction((before) => [...document.querySelectorAll("[data-start]")].some((field) => field.value !== String(before[field.dataset.start])), { timeout: PATIENCE }, before);
  await ready(page);
}

export async function pulls(open, must) {
  const page = await open();
  await velocity(page, must);
  await position(page, must);
  await keys(page, must);
  await number(page, must);
  await later(page, must);
  await onward(page, must);
  await page.close();
}

/** The tip of a velocity is pulled: both velocities stay perpendicular, and the address of the state is the text. */
async function velocity(page, must) {
  const frame = await held(page);
  const before = await state(page);
  const [x, y] = await place(frame, "[data-velocity=P1]");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 20, y - 30, { steps: 5 });
  await page.mouse.move(x + 60, y + 10, { steps: 5 });
  await frame.waitForFunction(() => document.querySelector("[data-velocity=P1]").dataset.residual !== undefined, { timeout: PATIENCE });
  await new Promise((done) => setTimeout(done, 200));
  const seen = await frame.evaluate(() => document.querySelector(".wanted").getAttribute("visibility"));
  must(seen === "visible", "what was wanted is not shown");
  await page.mouse.up();
  await changed(page, before);
  const [residual, discarded] = await told(await held(page), "[data-velocity=P1]").catch(() => [0, 1]);
  must(residual < RESIDUAL, `after a pull the constraints hold to ${residual} only`);
  must(discarded > 0, "nothing was discarded of a velocity that is not allowed");
  const now = await state(page);
  const dot = now["x1'"] * now["x2'"] + now["y1'"] * now["y2'"];
  must(Math.abs(dot) < 1e-6, `the pulled velocities are not perpendicular: ${dot}`);
  must(now["x1'"] > before["x1'"], "the velocity did not follow the pointer");
  must((await page.evaluate(() => window.appell.text())).includes(`"x1 = 1"`), "the start does not stand in the text");
}

async function position(page, must) {
  const frame = await held(page);
  const before = await state(page);
  const [x, y] = await place(frame, "[data-place=P2]");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 4 });
  await new Promise((done) => setTimeout(done, 300));
  await page.mouse.up();
  await changed(page, before);
  const now = await state(page);
  must(now.x2 > before.x2 && Math.abs(now.x1 - before.x1) < 1e-6, "a point did not follow the pointer");
}

async function keys(page, must) {
  const frame = await held(page);
  const before = await state(page);
  await frame.$eval("[data-place=P1]", (own) => own.focus());
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await changed(page, before);
  must((await state(page)).y1 > before.y1, "a point did not follow the arrow keys");
}

/** A number of the start: what the constraints forbid is discarded, and that is said. */
async function number(page, must) {
  await held(page);
  const before = await state(page);
  await page.evaluate(() => {
    const field = document.querySelector(`[data-start="y1'"]`);
    field.value = String(Number(field.value) + 1);
    field.dispatchEvent(new Event("change"));
  });
  // The other velocities follow.
  await changed(page, { ...before, "y1'": (await state(page))["y1'"] });
  const now = await state(page);
  must(Math.abs(now["x1'"] * now["x2'"] + now["y1'"] * now["y2'"]) < 1e-6, "a number that was typed breaks the constraint");
  must(/discarded/.test(await page.$eval("#discarded", (own) => own.textContent)), "it is not said what was discarded");
}

/** At a later instant the motion is nudged, and goes on from there. */
async function later(page, must) {
  const frame = await held(page);
  const before = await state(page);
  await frame.evaluate(() => {
    const range = document.querySelector("input[type=range]");
    range.value = "4";
    range.dispatchEvent(new Event("input"));
  });
  await new Promise((done) => setTimeout(done, 500));
  const [x, y] = await place(await held(page), "[data-velocity=P2]");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 15, y + 15, { steps: 4 });
  await new Promise((done) => setTimeout(done, 300));
  await page.mouse.up();
  await changed(page, before);
  const now = await state(page);
  must(Math.abs(now.x1 - before.x1) > 0.1, "the motion does not go on from a later instant");
  const time = await frame.$eval("output.time", (own) => own.textContent);
  must(time === "t = 0.000", `the motion does not begin where it was nudged: ${time}`);
}

/** The motion goes on from an instant, with nothing pulled. */
async function onward(page, must) {
  const frame = await held(page);
  const before = await state(page);
  const seen = await frame.evaluate(() => {
    const range = document.querySelector("input[type=range]");
    range.value = "3";
    range.dispatchEvent(new Event("input"));
    const { times, plots } = JSON.parse(document.getElementById("data").textContent);
    const at = times.findIndex((t) => t >= 3 - 1e-9);
    return plots.flatMap(({ series }) => series).find(({ label }) => label === "x1").y[at];
  });
  await page.click("#go-on");
  await changed(page, before);
  must(Math.abs((await state(page)).x1 - seen) < 1e-3 * Math.abs(seen), "the motion does not go on from the instant shown");
}

/** A finger does what the pointer does. */
export async function touched(page, must) {
  await resize(page, { width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.reload();
  await ready(page);
  await page.evaluate(() => document.getElementById("right").scrollIntoView({ behavior: "instant" }));
  const frame = await held(page);
  const before = await state(page);
  const [x, y] = await place(frame, "[data-velocity=P1]");
  await page.touchscreen.touchStart(x, y);
  await page.touchscreen.touchMove(x + 20, y - 20);
  await page.touchscreen.touchMove(x + 40, y - 20);
  await new Promise((done) => setTimeout(done, 400));
  await page.touchscreen.touchEnd();
  await changed(page, before);
  await page.close();
}
