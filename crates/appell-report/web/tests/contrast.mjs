// What is read stands out from what is behind it: the ratios of WCAG 2.2, from the colours that the browser computes.

/** Of text (1.4.3), of large text, and of lines that carry meaning (1.4.11). */
const LEAST = { text: 4.5, large: 3, line: 3 };
/** Lines by which something is told. The whole path, faint under the part that is gone, and points under their running maximum are
 * drawn once more by these. */
const LINES = ".curve, .arrow .shaft, .arrow .head, .trail:not(.whole), .trail-head, .axis, .legend .line path, .tyre, .rim";

/** The theme by the page's own attribute: not every browser can be told what its reader prefers. */
export async function contrast(page, counts) {
  const faults = [];
  for (const theme of ["light", "dark"]) {
    const found = await page.evaluate(measured, theme, LEAST, LINES);
    faults.push(...found.faults.map((fault) => `${theme}: ${fault}`));
    counts.contrasts += found.count;
  }
  await page.evaluate(() => delete document.documentElement.dataset.theme);
  return faults;
}

/** In the page. */
function measured(theme, least, lines) {
  document.documentElement.dataset.theme = theme;
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  /** Whatever way a colour is written: red, green, blue, and how much it covers. */
  const colour = (text) => {
    if (!known.has(text)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = text;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((x, i) => a * x + (1 - a) * below[i]);
  const linear = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  /** What may be behind an element: one colour, or all of a gradient. */
  const behind = (element) => {
    const layers = [];
    for (let own = element; own; own = own.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(own);
      const stops = backgroundImage.match(/(rgba?|color|oklab|oklch)\([^()]*\)/g);
      if (stops) return stops.map((stop) => layers.reduceRight((below, layer) => over(layer, below), colour(stop).slice(0, 3)));
      const own_ = colour(backgroundColor);
      if (own_[3] > 0) layers.push(own_);
      if (own_[3] === 1) break;
    }
    return [layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255])];
  };
  const opacity = (element) => {
    let all = 1;
    for (let own = element; own; own = own.parentElement) all *= Number(getComputedStyle(own).opacity);
    return all;
  };
  const seen = (element) => element.getClientRects().length > 0 && element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
  const worst = (text, element) => {
    const [r, g, b, a] = colour(text);
    return Math.min(...behind(element).map((back) => ratio(over([r, g, b, a * opacity(element)], back), back)));
  };
  const faults = new Set();
  let count = 0;
  const judge = (element, text, wanted, what) => {
    count += 1;
    const got = worst(text, element);
    if (!(got >= wanted)) faults.add(`${what} has a contrast of ${got.toFixed(2)}, not ${wanted}: ${element.outerHTML.slice(0, 90)}`);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let formulas = 0;
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === "" || element.closest("script, style, annotation, title, .offscreen, .skip")) continue;
    // What cannot be used now may be paler (1.4.3, incidental); formulas have one colour.
    if (element.closest("label")?.querySelector("input:disabled") || (element.closest("math") && formulas++ > 40) || !seen(element)) continue;
    const style = getComputedStyle(element);
    const [size, bold] = [Number.parseFloat(style.fontSize), Number(style.fontWeight) >= 700];
    const large = size >= 24 || (bold && size >= 18.66);
    judge(element, element.closest("svg") ? style.fill : style.color, large ? least.large : least.text, "text");
  }
  for (const element of document.querySelectorAll(lines)) {
    const { stroke, fill } = getComputedStyle(element);
    if (seen(element) && !element.closest(".still")) judge(element, stroke === "none" ? fill : stroke, least.line, "a line");
  }
  return { faults: [...faults].slice(0, 4), count };
}
