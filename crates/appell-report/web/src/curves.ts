// Curves through samples: cubics that have the samples' slopes, straight lines where that is finer than the eye.

import { px } from "./dom";

/** A sample on the screen. */
export type Dot = readonly [number, number];

/** Samples farther apart than this are joined by cubics, in pixels. */
const NEAR = 2.5;
/** A curve that turns at more than this part of its samples is noise. */
const NOISE = 0.4;
const FAR = 4000;

const finite = (dot: Dot | undefined): dot is Dot => dot !== undefined && Number.isFinite(dot[0]) && Number.isFinite(dot[1]);

/** Whether a series jumps up and down from sample to sample. */
export function isNoise(values: (number | null)[]): boolean {
  let [turns, before, last] = [0, 0, NaN];
  for (const x of values) {
    if (x === null) continue;
    const step = x - last;
    if (step * before < 0) turns += 1;
    if (Number.isFinite(step)) before = step;
    last = x;
  }
  return turns > NOISE * values.length;
}

/** The velocities on the screen, by the parabola through each three samples. */
function slopes(dots: Dot[], times: number[]): Dot[] {
  const along = (i: number, k: 0 | 1): number => {
    const secant = (a: number, b: number) => (dots[b]![k] - dots[a]![k]) / (times[b]! - times[a]!);
    const last = dots.length - 1;
    if (last === 1) return secant(0, 1);
    const middle = Math.min(last - 1, Math.max(1, i));
    const [before, after] = [secant(middle - 1, middle), secant(middle, middle + 1)];
    const [h, g] = [times[middle]! - times[middle - 1]!, times[middle + 1]! - times[middle]!];
    const inner = (before * g + after * h) / (h + g);
    return i === 0 ? 2 * before - inner : i === last ? 2 * after - inner : inner;
  };
  return dots.map((_, i) => [along(i, 0), along(i, 1)]);
}

function piece(dots: Dot[], times: number[], known: Dot[] | null): string {
  const point = ([x, y]: Dot) => `${px(x)} ${px(Math.max(-FAR, Math.min(FAR, y)))}`;
  if (dots.length < 2) return dots.length === 1 ? `M${point(dots[0]!)}h0` : "";
  const way = dots.reduce((sum, [x, y], i) => (i === 0 ? 0 : sum + Math.hypot(x - dots[i - 1]![0], y - dots[i - 1]![1])), 0);
  if (dots.length < 3 || way / dots.length < NEAR) return `M${dots.map(point).join("L")}`;
  const slope = known ?? slopes(dots, times);
  let d = `M${point(dots[0]!)}`;
  for (let i = 1; i < dots.length; i++) {
    const third = (times[i]! - times[i - 1]!) / 3;
    const beside = (at: number, by: number): Dot => [dots[at]![0] + by * slope[at]![0], dots[at]![1] + by * slope[at]![1]];
    d += `C${point(beside(i - 1, third))} ${point(beside(i, -third))} ${point(dots[i]!)}`;
  }
  return d;
}

/** Through all samples, interrupted where one is not defined; with their velocities on the screen, if these are known. */
export function curve(dots: Dot[], times: number[], known: Dot[] | null, noise: boolean): string {
  let d = "";
  for (let from = 0; from < dots.length; from++) {
    if (!finite(dots[from])) continue;
    let to = from;
    while (finite(dots[to])) to += 1;
    const own = dots.slice(from, to);
    const exact = known?.slice(from, to);
    d += noise
      ? `M${own.map(([x, y]) => `${px(x)} ${px(Math.max(-FAR, Math.min(FAR, y)))}`).join("L")}`
      : piece(own, times.slice(from, to), exact?.every(finite) ? exact : null);
    from = to;
  }
  return d;
}

/** Each sample by itself. */
export function scatter(dots: Dot[]): string {
  return dots.filter(finite).map(([x, y]) => `M${px(x)} ${px(y)}h0`).join("");
}

/** The largest value so far. */
export function runningMaximum(values: (number | null)[]): (number | null)[] {
  let most: number | null = null;
  return values.map((x) => (most = x === null ? most : Math.max(most ?? x, x)));
}
