// Marks on axes.

import { figures, power } from "./names";

/** 1, 2 or 5 times a power of ten, at least `least`. */
export function nice(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((n) => n * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Evenly spaced marks between two values, no more than `most`. */
export function linear(low: number, high: number, most: number): number[] {
  const step = nice((high - low) / Math.max(1, most));
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const marks: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step && marks.length < 100; n++) marks.push(n * step);
  return marks;
}

/** Powers of ten, no more than `most`, given by their exponents. */
export function decades(low: number, high: number, most: number): number[] {
  const every = Math.max(1, Math.ceil((high - low) / Math.max(1, most)));
  const marks: number[] = [];
  for (let n = Math.ceil(low / every) * every; n <= high; n += every) marks.push(n);
  return marks;
}

/** Exponents of marks on an axis of powers of ten, with their labels: powers where there are two of them, else 1, 2 and 5 times powers, else
 * whatever divides the range. */
export function logarithmic(low: number, high: number, most: number): [number[], string[]] {
  const powers = decades(low, high, most);
  if (powers.length > 1) return [powers, powers.map(power)];
  const between: [number, string][] = [];
  for (let n = Math.floor(low); n <= high; n++) {
    for (const factor of [1, 2, 5]) {
      const at = n + Math.log10(factor);
      if (at >= low && at <= high) between.push([at, factor === 1 ? power(n) : `${factor}·${power(n)}`]);
    }
  }
  if (between.length > 1) return [between.map(([at]) => at), between.map(([, label]) => label)];
  const marks = linear(low, high, Math.max(2, most));
  return [marks, marks.map((n) => figures(10 ** n, 3))];
}

/** Labels that tell marks apart. */
export function labels(marks: number[]): string[] {
  const largest = Math.max(...marks.map(Math.abs), 0);
  const step = marks.length > 1 ? Math.abs(marks[1]! - marks[0]!) : largest;
  if (largest === 0) return marks.map(() => "0");
  const plain = largest < 1e5 && step >= 1e-4;
  const digits = plain
    ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
    : Math.min(12, Math.max(0, Math.floor(Math.log10(largest)) - Math.floor(Math.log10(step) + 1e-9)));
  return marks.map((x) => {
    if (Math.abs(x) < 1e-9 * step) return "0";
    if (plain) return x.toFixed(digits).replace("-", "−");
    const [mantissa, exponent] = x.toExponential(digits).split("e");
    return `${mantissa!.replace("-", "−")}·${power(Number(exponent))}`;
  });
}
