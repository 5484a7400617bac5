// The page for every reader: by keyboard, by touch, on paper, embedded, in browsers that know less.

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
    // Two fingers apart: nearer.
    const view = document.querySelector(".view");
    const mark = () => document.querySelector(".ground .grid").getAttribute("d") + document.querySelector(".stage").innerHTML.length;
    const touches = (apart) => [0, 1].map((i) => new Touch({ identifier: i, target: view, clientX: 200 + (i ? apart : -apart), clientY: 300 }));
    const touch = (name, apart) => view.dispatchEvent(new TouchEvent(name, { touches: touches(apart), bubbles: true, cancelable: true }));
    const first = mark();
    // A browser for desks may know no touches.
    const touchable = typeof TouchEvent !== "undefined";
    if (touchable) touch("touchstart", 40);
    if (touchable) touch("touchmove", 80);
    if (touchable && mark() === first && document.querySelector(".ground .grid").getAttribute("d") !== "") faults.push("two fingers do not zoom");
    if (touchable) view.dispatchEvent(new TouchEvent("touchend", { touches: [], bubbles: true }));
    document.querySelector('[aria-label="Reset the view"]').click();
    // Paper: five poses, nothing folded.
    dispatchEvent(new Event("beforeprint"));
    const poses = [...document.querySelectorAll(".poses svg")].map((pose) => pose.innerHTML);
    if (poses.length !== 5) faults.push(`${poses.length} poses on paper`);
    if (document.querySelector("details:not([open])")) faults.push("something is folded on paper");
    dispatchEvent(new Event("afterprint"));
    if (document.querySelector(".poses svg")) faults.push("poses stay after printing");
    return faults;
  });
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
