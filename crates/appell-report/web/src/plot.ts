// A plot: curves over the time or along a path, with values to read off, zoom and a legend to switch.

import type { Clock } from "./clock";
import { type Dot, curve, isNoise, runningMaximum, scatter } from "./curves";
import type { Nudge, Plot, Series } from "./data";
import { clipped, html, px, set, svg } from "./dom";
import { figures, readable } from "./names";
import { captioned, saved } from "./pictures";
import { labels, linear, logarithmic } from "./ticks";

const MARGIN = { left: 64, right: 16, bottom: 40 };
/** About the width of a character of a mark in pixels, and what is beside it. */
const CHARACTER = 6.4;
const BESIDE = 14;
/** Above the curves, with the name of the axis there and without. */
const TOP = { named: 26, bare: 10 };
/** The width of a plot on paper, of which two stand side by side, and the least height of its curves there and on the screen. */
const ON_PAPER = 350;
const LEAST = { paper: 150, screen: 190 };
/** What varies by less, relative to its size, is drawn as constant: the rest is rounding. */
const CONSTANT = 1e-7;
/** Half the width of a curve's sample in the legend. */
const SAMPLE = 15;

type Range = [number, number];

/** The least and the largest of the finite values. */
function range(values: Iterable<number | null>): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) {
    if (x === null || !Number.isFinite(x)) continue;
    [low, high] = [Math.min(low, x), Math.max(high, x)];
  }
  return low <= high ? [low, high] : [0, 1];
}

function opened([low, high]: Range, part: number): Range {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const width = high - low;
  const by = width > CONSTANT * size ? part * width : size > 0 ? size / 10 : 1;
  return [low - by, high + by];
}

/** The classes of a pen. */
const look = ([hue, dash]: [number, number]) => `s${hue} d${dash}`;

export class PlotView {
  private readonly svg = svg("svg", { role: "img" });
  private readonly frame = svg("g");
  private readonly curves: SVGPathElement[];
  /** Points of what is no curve, where there are such. */
  private readonly points: SVGPathElement[];
  private readonly noise: boolean[];
  private readonly area = html("div", { class: "area" });
  private readonly leave = new AbortController();
  private readonly dots: SVGCircleElement[];
  private readonly ends: SVGCircleElement[];
  private readonly clip = svg("rect");
  private readonly cursor = svg("path", { class: "cursor" });
  private readonly pointer = svg("path", { class: "pointer" });
  private readonly selection = svg("rect", { class: "selection", visibility: "hidden" });
  private readonly readout = html("div", { class: "readout", "data-test": "readout", role: "status" });
  private readonly reset = html("button", { type: "button", class: "small" }, "Reset zoom");
  private readonly off = new Set<number>();
  private zoom: [Range, Range] | null = null;
  private x: Range = [0, 1];
  private y: Range = [0, 1];
  private wide = 1;
  private high = 1;
  private readonly top: number;
  /** For the marks of the vertical axis. */
  private left = MARGIN.left;
  private hovered: number | null = null;
  private seen = false;

  constructor(
    figure: HTMLElement,
    private readonly plot: Plot,
    private readonly clock: Clock,
    index: number,
    /** The rates of what is plotted, by name. */
    private readonly rates: (name: string) => (number | null)[] | undefined = () => undefined,
    private readonly nudges: Nudge[] = [],
  ) {
    this.curves = plot.series.map(({ pen }) => svg("path", { class: `curve ${look(pen)}` }));
    this.points = plot.series.map(({ pen }) => svg("path", { class: `scatter ${look(pen)}` }));
    this.noise = plot.series.map((series) => series.scattered || isNoise(series.y));
    this.dots = plot.series.map(({ pen }) => svg("circle", { class: `dot ${look(pen)}`, r: 4, visibility: "hidden" }));
    this.ends = plot.series.some(({ x }) => x !== null) ? plot.series.map(({ pen }) => svg("circle", { class: `start ${look(pen)}`, r: 4 })) : [];
    const id = `clip-${index}`;
    const inside = svg("g", { "clip-path": `url(#${id})` }, ...this.points, ...this.curves, ...this.ends, this.cursor, this.pointer, ...this.dots);
    this.svg.append(svg("defs", {}, svg("clipPath", { id }, this.clip)), this.frame, inside, this.selection);
    const names = plot.series.map((series) => clipped(series.label, 30)).join(", ");
    set(this.svg, { "aria-label": `${clipped(plot.title, 80) || "Plot"}: ${names} against ${clipped(plot.x, 30)}` });
    this.top = this.upName() === "" && plot.units[1] === "" ? TOP.bare : TOP.named;
    const area = this.area;
    set(area, { tabindex: 0, role: "group" });
    area.append(this.svg);
    set(area, { "aria-label": `${clipped(plot.title, 80) || "Plot"}. Arrow keys read values.` });
    figure.querySelectorAll(".static, .legend, .area, .foot").forEach((part) => part.remove());
    const caption = figure.querySelector("figcaption");
    if (caption && plot.title.trim() === "") caption.textContent = readable(caption.textContent ?? "");
    this.reset.hidden = true;
    const save = html("button", { type: "button", class: "small save", "aria-label": `Save ${clipped(plot.title, 40) || "this plot"} as SVG`, title: "Save as SVG" }, "SVG");
    save.addEventListener("click", () => saved(`${clipped(plot.title, 40) || "plot"}.svg`, captioned(this.svg, figure)));
    figure.append(...this.legend(), area, html("div", { class: "foot" }, this.readout, html("span", { class: "buttons" }, this.reset, save)));
    this.listen(area);
    clock.listen(() => this.seen && this.mark(), this.leave.signal);
    // Only what is seen is drawn anew.
    const sight = new IntersectionObserver((entries) => {
      this.seen = entries.some((entry) => entry.isIntersecting);
      if (this.seen) this.mark();
    });
    sight.observe(area);
    const size = new ResizeObserver(() => this.draw(area.clientWidth));
    size.observe(area);
    addEventListener("beforeprint", () => this.draw(ON_PAPER, LEAST.paper), { signal: this.leave.signal });
    addEventListener("afterprint", () => this.now(), { signal: this.leave.signal });
    this.leave.signal.addEventListener("abort", () => (sight.disconnect(), size.disconnect()));
  }

  /** Draws at once what else is drawn with the next picture of the screen. */
  now(): void {
    this.draw(this.area.clientWidth);
  }

  /** Another plot takes its place. */
  end(): void {
    this.leave.abort();
  }

  /** A button for each curve; one curve is named by its values. */
  private legend(): HTMLElement[] {
    if (this.plot.series.length < 2) return [];
    const buttons = this.plot.series.map((series, i) => {
      const name = series.label === "" ? this.plot.y : series.label;
      const line = svg("path", { class: `curve ${look(series.pen)}`, d: `M0 4H${2 * SAMPLE}` });
      const swatch = svg("svg", { class: "line", width: 2 * SAMPLE, height: 8, "aria-hidden": true }, line);
      const button = html("button", { type: "button", "aria-pressed": "true" }, swatch, clipped(readable(name), 30));
      button.addEventListener("click", () => {
        if (!this.off.delete(i)) this.off.add(i);
        set(button, { "aria-pressed": String(!this.off.has(i)) });
        this.draw();
      });
      return button;
    });
    return [html("div", { class: "legend" }, ...buttons)];
  }

  private xs(series: Series): (number | null)[] {
    return series.x ?? this.clock.times;
  }

  private value(y: number | null): number {
    if (y === null) return NaN;
    return this.plot.log ? Math.log10(y) : y;
  }

  private shown(): [Series, number][] {
    return this.plot.series.map((series, i) => [series, i] as [Series, number]).filter(([, i]) => !this.off.has(i));
  }

  private ranges(): void {
    if (this.zoom) {
      [this.x, this.y] = this.zoom;
      return;
    }
    const shown = this.shown();
    const x = range(shown.flatMap(([series]) => this.xs(series)));
    const y = range(shown.flatMap(([series]) => series.y.map((y) => this.value(y))));
    const path = this.plot.series.some((series) => series.x !== null);
    this.x = path ? opened(x, 0.06) : x[1] > x[0] ? x : opened(x, 0.06);
    this.y = this.plot.log && y[1] - y[0] < 0.5 ? [y[0] - 1, y[1] + 1] : opened(y, 0.07);
    if (this.plot.equal) {
      const unit = Math.max((this.x[1] - this.x[0]) / this.wide, (this.y[1] - this.y[0]) / this.high);
      const widened = ([low, high]: Range, pixels: number): Range => {
        const by = (unit * pixels - (high - low)) / 2;
        return [low - by, high + by];
      };
      [this.x, this.y] = [widened(this.x, this.wide), widened(this.y, this.high)];
    }
  }

  private px(x: number): number {
    return this.left + (this.wide * (x - this.x[0])) / (this.x[1] - this.x[0]);
  }

  private py(y: number): number {
    return this.top + this.high * (1 - (y - this.y[0]) / (this.y[1] - this.y[0]));
  }

  private draw(width = this.wide + this.left + MARGIN.right, least = LEAST.screen): void {
    const whole = Math.max(260, width);
    this.wide = whole - MARGIN.left - MARGIN.right;
    this.high = this.plot.equal ? Math.min(360, Math.max(least + 30, 0.6 * this.wide)) : Math.min(300, Math.max(least, 0.54 * this.wide));
    const height = this.high + this.top + MARGIN.bottom;
    set(this.svg, { viewBox: `0 0 ${px(whole)} ${px(height)}`, width: px(whole), height: px(height) });
    this.ranges();
    const longest = Math.max(...this.marks()[1].map((label) => label.length));
    this.left = Math.max(MARGIN.left, Math.min(0.4 * whole, BESIDE + CHARACTER * longest));
    this.wide = whole - this.left - MARGIN.right;
    set(this.clip, { x: px(this.left), y: this.top - 4, width: px(this.wide), height: px(this.high + 8) });
    this.ranges();
    this.axes(height);
    this.plot.series.forEach((series, i) => {
      const on = !this.off.has(i);
      set(this.curves[i]!, { d: on ? this.line(series, i) : "" });
      set(this.points[i]!, { d: on && series.scattered ? scatter(this.screen(series, series.y)) : "" });
      const start = this.ends[i];
      if (start) {
        const [x, y] = [this.xs(series)[0], this.value(series.y[0] ?? null)];
        const seen = on && x !== null && x !== undefined && Number.isFinite(y);
        set(start, { visibility: seen ? "visible" : "hidden" });
        if (seen) set(start, { cx: px(this.px(x)), cy: px(this.py(y)) });
      }
    });
    this.mark();
  }

  /** Where values are on the screen. */
  private screen(series: Series, values: (number | null)[]): Dot[] {
    const xs = this.xs(series);
    return values.map((raw, i) => [this.px(xs[i] ?? NaN), this.py(this.value(raw))]);
  }

  private line(series: Series, i: number): string {
    const { times } = this.clock;
    if (series.scattered) return curve(this.screen(series, runningMaximum(series.y)), times, null, true);
    const rates = series.x === null && !this.plot.log ? this.rates(series.label || this.plot.y) : undefined;
    const [right, up] = [this.wide / (this.x[1] - this.x[0]), this.high / (this.y[1] - this.y[0])];
    const known = rates?.map((rate): Dot => [right, rate === null ? NaN : -up * rate]) ?? null;
    return curve(this.screen(series, series.y), times, known, this.noise[i]!);
  }

  /** The name of an axis with its unit. */
  private name(label: string, unit: string, most: number): (Node | string)[] {
    const name = clipped(readable(label), most);
    return unit === "" ? [name] : [name, svg("tspan", { class: "unit" }, `${name === "" ? "" : " "}in ${unit}`)];
  }

  /** Where the marks of the vertical axis stand, and what they say. */
  private marks(): [number[], string[]] {
    const most = Math.max(2, this.high / 46);
    const level = linear(this.y[0], this.y[1], most);
    return this.plot.log ? logarithmic(this.y[0], this.y[1], most) : [level, labels(level)];
  }

  /** The name of the vertical axis: that of the only curve, if there is no other. */
  private upName(): string {
    const { y, series } = this.plot;
    return series.length === 1 ? y || series[0]!.label : y;
  }

  private axes(height: number): void {
    const parts: SVGElement[] = [];
    const text = (x: number, y: number, kind: string, ...content: (Node | string)[]) => parts.push(svg("text", { x: px(x), y: px(y), class: kind }, ...content));
    const bottom = this.top + this.high;
    let d = "";
    const across = linear(this.x[0], this.x[1], Math.max(2, this.wide / 84));
    labels(across).forEach((label, i) => {
      const x = this.px(across[i]!);
      d += `M${px(x)} ${this.top}V${px(bottom)}`;
      text(x, bottom + 16, "tick middle", label);
    });
    const [up, names] = this.marks();
    names.forEach((label, i) => {
      const y = this.py(up[i]!);
      d += `M${this.left} ${px(y)}H${px(this.left + this.wide)}`;
      text(this.left - 8, y + 4, "tick end", label);
    });
    parts.unshift(svg("path", { class: "grid", d }), svg("path", { class: "zero", d: this.zeros(across, this.plot.log ? [] : up) }));
    parts.push(...this.nudged(bottom));
    parts.push(svg("path", { class: "axis", d: `M${this.left} ${this.top}V${px(bottom)}H${px(this.left + this.wide)}` }));
    const [rightUnit, upUnit] = this.plot.units;
    text(this.left + this.wide, height - 5, "label end", ...this.name(this.plot.x, rightUnit, 24));
    text(6, 13, "label", ...this.name(this.upName(), upUnit, 40));
    this.frame.replaceChildren(...parts);
  }

  /** Lines where a quantity vanishes, which the eye looks for first. */
  private zeros(across: number[], up: number[]): string {
    const least = (marks: number[]) => 1e-9 * Math.max(0, ...marks.map(Math.abs));
    const has = (marks: number[]) => marks.some((mark) => Math.abs(mark) <= least(marks));
    const level = has(up) ? `M${this.left} ${px(this.py(0))}H${px(this.left + this.wide)}` : "";
    const path = this.plot.series.some((series) => series.x !== null);
    return level + (path && has(across) ? `M${px(this.px(0))} ${this.top}V${px(this.top + this.high)}` : "");
  }

  /** Where the motion was changed by hand. */
  private nudged(bottom: number): SVGElement[] {
    if (this.plot.series.some((series) => series.x !== null)) return [];
    const seen = this.nudges.filter(({ t }) => t >= this.x[0] && t <= this.x[1]);
    return seen.map(({ t, label }) => {
      const line = svg("path", { class: "nudge", d: `M${px(this.px(t))} ${this.top}V${px(bottom)}` });
      line.append(svg("title", {}, label));
      const name = svg("text", { x: px(this.px(t) + 4), y: this.top + 10, class: "tick nudge-name" }, "nudge");
      return svg("g", { "data-nudge": t }, line, name);
    });
  }

  /** Shows where the clock stands, and the values there or under the pointer. */
  private mark(): void {
    const timed = this.plot.series.every((series) => series.x === null);
    const now = this.px(this.clock.now);
    const vertical = (x: number) => `M${px(x)} ${this.top}V${px(this.top + this.high)}`;
    set(this.cursor, { d: timed ? vertical(now) : "" });
    const index = this.hovered ?? this.clock.nearest();
    const hovers = this.hovered !== null;
    const time = this.clock.times[index] ?? NaN;
    set(this.pointer, { d: timed && hovers ? vertical(this.px(time)) : "" });
    const values: (Node | string)[] = [html("span", { class: "at" }, `t = ${figures(time)}`)];
    this.plot.series.forEach((series, i) => {
      const [x, raw] = [this.xs(series)[index], series.y[index] ?? null];
      const y = this.value(raw);
      const seen = !this.off.has(i) && x !== null && x !== undefined && Number.isFinite(y);
      set(this.dots[i]!, { visibility: seen ? "visible" : "hidden" });
      if (!seen) return;
      set(this.dots[i]!, { cx: px(this.px(x)), cy: px(this.py(y)) });
      const own = readable(series.label === "" ? this.plot.y : series.label);
      // A path is named by both of its axes, if it has no name of its own.
      const name = timed || own !== readable(this.plot.y) ? clipped(own, 24) : `(${clipped(readable(this.plot.x), 12)}, ${clipped(own, 12)})`;
      const value = timed ? figures(raw) : `(${figures(x)}, ${figures(raw)})`;
      values.push(html("span", { class: `value s${series.pen[0]}` }, `${name} = ${value}`));
    });
    this.readout.replaceChildren(...values);
    set(this.readout, { "aria-live": hovers ? "polite" : "off" });
  }

  /** The sample under a point of the picture. */
  private under(x: number, y: number): number {
    const timed = this.plot.series.every((series) => series.x === null);
    if (timed) return this.clock.nearest(this.x[0] + ((x - this.left) / this.wide) * (this.x[1] - this.x[0]));
    let [best, least] = [0, Infinity];
    for (const [series] of this.shown()) {
      const xs = this.xs(series);
      series.y.forEach((raw, i) => {
        const distance = Math.hypot(this.px(xs[i] ?? NaN) - x, this.py(this.value(raw)) - y);
        if (distance < least) [best, least] = [i, distance];
      });
    }
    return best;
  }

  private listen(area: HTMLElement): void {
    let from: [number, number] | null = null;
    const place = (event: PointerEvent): [number, number] => {
      const box = this.svg.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const within = ([x, y]: [number, number]): [number, number] => [
      Math.min(this.left + this.wide, Math.max(this.left, x)),
      Math.min(this.top + this.high, Math.max(this.top, y)),
    ];
    const hover = (index: number | null) => {
      this.hovered = index;
      this.mark();
    };
    this.svg.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      hover(this.under(x, y));
      if (!from) return;
      const [a, b] = [from, within([x, y])];
      const big = Math.abs(b[0] - a[0]) > 6;
      set(this.selection, {
        visibility: big ? "visible" : "hidden",
        x: px(Math.min(a[0], b[0])),
        y: px(Math.min(a[1], b[1])),
        width: px(Math.abs(b[0] - a[0])),
        height: px(Math.abs(b[1] - a[1])),
      });
    });
    this.svg.addEventListener("pointerdown", (event) => {
      from = within(place(event));
      if (event.pointerType === "mouse") this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointerup", (event) => {
      const to = within(place(event));
      if (from && Math.abs(to[0] - from[0]) > 6 && Math.abs(to[1] - from[1]) > 6) this.zoomTo(from, to);
      else if (from) this.clock.set(this.clock.times[this.under(...to)] ?? this.clock.now);
      from = null;
      set(this.selection, { visibility: "hidden" });
    });
    this.svg.addEventListener("pointercancel", () => (from = null));
    this.svg.addEventListener("pointerleave", () => hover(null));
    this.svg.addEventListener("dblclick", () => this.unzoom());
    this.reset.addEventListener("click", () => this.unzoom());
    area.addEventListener("blur", () => hover(null));
    area.addEventListener("keydown", (event) => {
      const last = this.clock.times.length - 1;
      const step = Math.max(1, Math.round(last / 100));
      const now = this.hovered ?? this.clock.nearest();
      const places: Record<string, number> = { ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: last };
      const to = places[event.key];
      if (to !== undefined) hover(Math.min(last, Math.max(0, to)));
      else if (event.key === "Escape") this.unzoom();
      else if (event.key === "Enter") this.clock.set(this.clock.times[now] ?? this.clock.now);
      else return;
      event.preventDefault();
    });
  }

  private zoomTo(a: [number, number], b: [number, number]): void {
    const x = (pixel: number) => this.x[0] + ((pixel - this.left) / this.wide) * (this.x[1] - this.x[0]);
    const y = (pixel: number) => this.y[0] + (1 - (pixel - this.top) / this.high) * (this.y[1] - this.y[0]);
    const sorted = (p: number, q: number): Range => (p < q ? [p, q] : [q, p]);
    this.zoom = [sorted(x(a[0]), x(b[0])), sorted(y(a[1]), y(b[1]))];
    this.reset.hidden = false;
    this.draw();
  }

  private unzoom(): void {
    this.zoom = null;
    this.reset.hidden = true;
    this.draw();
  }
}
