// The page for every reader: by keyboard, by touch, on paper, embedded, in browsers that know less.

import { PATIENCE } from "./browser.mjs";

/** Steps that need no time: each leaves the page as it was. */
export async function forEveryReader(page, url, data) {
  if (!data.scene || data.times.length < 3) return [];
  const faults = await page.evaluate(async () => {
    const faults = [];
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const range = document.querySelector("input[type=range]");
    const value = () => Number(range.value);
    const playing = () => document.querySelector('button[aria-label="Pause"]') !== null;
    range.value = range.min;
    range.dispatchEvent(new Event("input"));
    const still = range.min === range.max;
    press(" ");
    if (!playing() && !still) faults.push("Space does not play");
    if (playing()) press(" ");
    if (playing()) faults.push("Space does not stop");
    range.value = range.min;
    range.dispatchEvent(new Event("input"));
    const before = value();
    press(".");
    if (value() === before && !still) faults.push("the point does not step on");
    press(",");
    if (Math.abs(value() - before) > 1e-6 * Math.abs(Number(range.max))) faults.push("the comma does not step back");
    press("l");
    if (document.querySelector('[aria-keyshortcuts="L"]').getAttribute("aria-pressed") !== "true") faults.push("L does not loop");
    press("l");
    // Paper: five poses, nothing folded.
    dispatchEvent(new Event("beforeprint"));
    const poses = [...document.querySelectorAll(".poses svg")].map((pose) => pose.innerHTML);
    if (poses.length !== 5) faults.push(`${poses.length} poses on paper`);
    if (document.querySelector("details:not([open])")) faults.push("something is folded on paper");
    dispatchEvent(new Event("afterprint"));
    if (document.querySelector(".poses svg")) faults.push("poses stay after printing");
    return faults;
  });
  faults.push(...(await byHand(page)), ...(await onPaper(page)));
  await page.goto(`${url}#embed&t=${data.times[1]}`);
  const alone = await page.evaluate(() => ({
    shown: [...document.querySelectorAll("main > section")].filter((section) => section.offsetParent !== null).map(({ id }) => id),
    header: document.querySelector("header").offsetParent !== null,
  }));
  if (alone.shown.join() !== "motion" || alone.header) faults.push(`embedded: ${alone.shown.join()}`);
  await page.goto(`${url}#motion`);
  await page.evaluate(() => dispatchEvent(new HashChangeEvent("hashchange")));
  return faults;
}

/** Real keys and fingers: a key plays, two fingers apart bring nearer. */
async function byHand(page) {
  const faults = [];
  const picture = () => page.$eval("svg.stage", (own) => own.innerHTML);
  const value = () => page.$eval("input[type=range]", (range) => Number(range.value));
  const still = await page.$eval("input[type=range]", (range) => range.min === range.max);
  await page.$eval("input[type=range]", (range) => {
    scrollTo({ top: 0, behavior: "instant" });
    [range.value] = [range.min];
    range.dispatchEvent(new Event("input"));
    document.activeElement?.blur();
  });
  const before = await value();
  await page.keyboard.press(".");
  if ((await value()) === before && !still) faults.push("a key does not step on");
  await page.$eval(".view", (own) => own.focus());
  const first = await picture();
  await page.keyboard.press("+");
  if ((await picture()) === first) faults.push("plus does not zoom");
  // A long title puts it below what is seen.
  await page.$eval(".view", (own) => own.scrollIntoView({ block: "start", behavior: "instant" }));
  // What comes into sight is laid out with the next frame, and may move the view.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const box = await (await page.$(".view")).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, 500) / 2];
  const nearer = await picture();
  // Chromium cancels a touch that a busy page answers late: fingers try again.
  let zoomed = false;
  for (let tries = 0; tries < 20 && !zoomed; tries++) {
    const one = await page.touchscreen.touchStart(x - 30, y);
    const two = await page.touchscreen.touchStart(x + 30, y);
    await one.move(x - 60, y);
    await two.move(x + 60, y);
    await one.end();
    await two.end();
    // The page's policy forbids what waitForFunction does in Firefox.
    const patience = Date.now() + 1000;
    while (!(zoomed = (await picture()) !== nearer) && Date.now() < patience) await new Promise((done) => setTimeout(done, 20));
  }
  if (!zoomed) faults.push("two fingers do not zoom");
  await page.$eval('[aria-label="Reset the view"]', (own) => own.click());
  return faults;
}

/** Points of a sheet between its margins: A4, as the page says. */
const SHEET = { width: 688, height: 1000 };

/** A file to print comes out, and no figure is too tall for a sheet or may be broken between two. */
async function onPaper(page) {
  const file = await page.pdf({ printBackground: true, timeout: PATIENCE });
  const head = Buffer.from(file.subarray(0, 5)).toString();
  const faults = head === "%PDF-" && file.length > 20_000 ? [] : [`printed: ${file.length} bytes that begin with ${head}`];
  // Firefox does not let its style for paper be looked at.
  if (process.env.FIREFOX) return faults;
  const size = page.viewport();
  await page.setViewport({ ...SHEET });
  await page.emulateMediaType("print");
  const broken = await page.evaluate((height) => {
    dispatchEvent(new Event("beforeprint"));
    const figures = [...document.querySelectorAll("figure, .theatre, .still")].filter((own) => own.getClientRects().length > 0);
    const faults = figures.length > 0 ? [] : ["no figure on paper"];
    for (const own of figures) {
      const name = own.querySelector("figcaption")?.textContent ?? own.className;
      if (getComputedStyle(own).breakInside !== "avoid") faults.push(`a figure may be broken on paper: ${name}`);
      if (own.getBoundingClientRect().height > height) faults.push(`a figure is taller than a sheet: ${name}`);
      const svg = own.querySelector("svg");
      if (svg && svg.getBoundingClientRect().right > innerWidth + 1) faults.push(`a figure is wider than a sheet: ${name}`);
    }
    dispatchEvent(new Event("afterprint"));
    return faults;
  }, SHEET.height);
  await page.emulateMediaType(null);
  await page.setViewport(size);
  return [...faults, ...broken];
}

/** Without light-dark() and color-mix() curves and bodies still have a colour. */
export async function withoutNewColours(browser, url) {
  const page = await browser.newPage();
  // The page's own policy forbids what is done to its style here; Firefox does not let it be set aside.
  if (process.env.FIREFOX) return page.close().then(() => []);
  await page.setBypassCSP(true);
  await page.goto(url);
  const faults = await page.evaluate(() => {
    const faults = [];
    const style = document.querySelector("style");
    const before = style.textContent;
    style.textContent = before.replaceAll("light-dark(", "unknown-light-dark(").replaceAll("color-mix(", "unknown-mix(");
    const curve = document.querySelector(".curve");
    const colour = curve && getComputedStyle(curve).stroke;
    if (curve && !/^rgb/.test(colour)) faults.push(`a curve is ${colour}`);
    if (getComputedStyle(document.body).backgroundColor === "rgba(0, 0, 0, 0)") faults.push("the page has no colour");
    return faults;
  });
  await page.close();
  return faults;
}

/** Where the font of mathematics cannot be read, formulas stand in what the system has: all of them, indices small and below. */
export async function withoutFonts(browser, url) {
  // See above.
  if (process.env.FIREFOX) return [];
  const page = await browser.newPage();
  await page.setBypassCSP(true);
  await page.goto(url);
  const faults = await page.evaluate(async () => {
    await document.fonts.ready;
    const faults = [];
    const ours = () => [...document.fonts].filter((font) => font.family.includes("Appell Math"));
    if (!ours().some(({ status }) => status === "loaded")) faults.push("the font is not used");
    const looked = () => {
      const formulas = [...document.querySelectorAll(".form:not([hidden]) math")].filter((own) => own.closest("details:not([open])") === null);
      for (const own of formulas) own.closest(".formula")?.style.setProperty("content-visibility", "visible");
      return formulas.map((own) => ({ text: own.textContent, ...(({ width, height }) => ({ width, height }))(own.getBoundingClientRect()) }));
    };
    const before = looked();
    const style = document.querySelector("style");
    style.textContent = style.textContent.replace(/data:font\/woff2;base64,[^)]*/, "data:font/woff2;base64,AAAA");
    document.body.getBoundingClientRect();
    await Promise.allSettled([...document.fonts].map((font) => font.load()));
    if (ours().some(({ status }) => status === "loaded")) faults.push("the font is still there");
    const after = looked();
    if (after.length === 0 || after.length !== before.length) faults.push(`${after.length} formulas without the font, ${before.length} with it`);
    after.forEach(({ text, width, height }, i) => {
      if (text !== before[i]?.text) faults.push("a formula is another without the font");
      const [wide, high] = [width / before[i].width, height / before[i].height];
      if (!(wide > 0.6 && wide < 1.7 && high > 0.5 && high < 2)) faults.push(`a formula is ${wide.toFixed(2)} as wide and ${high.toFixed(2)} as high without the font: ${text.slice(0, 60)}`);
    });
    const seen = [...document.querySelectorAll(".form:not([hidden]) msub")].filter((own) => own.checkVisibility({ contentVisibilityAuto: true }) && own.getClientRects().length > 0);
    for (const own of seen.slice(0, 60)) {
      const [base, index] = [...own.children].map((part) => ({ size: Number.parseFloat(getComputedStyle(part).fontSize), ...(({ top, bottom }) => ({ middle: (top + bottom) / 2 }))(part.getBoundingClientRect()) }));
      if (!(index.size < base.size && index.middle > base.middle)) faults.push(`an index is not small and below without the font: ${own.textContent}`);
    }
    if (document.documentElement.scrollWidth > innerWidth + 2) faults.push("wider than the window without the font");
    if (document.querySelector(".plot, .theatre") && !document.querySelector(".curve[d^=M], svg.stage")) faults.push("no picture without the font");
    return [...new Set(faults)].slice(0, 4);
  });
  await page.close();
  return faults;
}
