// A motion that goes on otherwise from an instant on: its numbers before, and those of another after.

import type { Data } from "../../../appell-report/web/src/data";

/** Three numbers a sample. */
const TRACKS = new Set(["at", "vector", "along", "axis", "normal", "axes", "points"]);
/** One number a sample. */
const CURVES = new Set(["x", "y"]);

interface Cut {
  /** How many samples stay. */
  keep: number;
  /** How many follow. */
  more: number;
}

type Numbers = (number | null)[];

/** Of the largest number. */
const LITTLE = 1e-6;

const isNumbers = (value: unknown): value is Numbers => Array.isArray(value) && !value.some((x) => Array.isArray(x) || (typeof x === "object" && x !== null));

function joined(one: Numbers, other: unknown, per: number, { keep, more }: Cut): Numbers {
  const after = isNumbers(other) && other.length === per * more ? other : new Array<null>(per * more).fill(null);
  return [...one.slice(0, per * keep), ...after];
}

function grown(one: unknown, other: unknown, key: string, cut: Cut): unknown {
  const per = TRACKS.has(key) ? 3 : CURVES.has(key) ? 1 : 0;
  if (per > 0 && isNumbers(one) && one.length > 0) return joined(one, other, per, cut);
  if (Array.isArray(one)) return one.map((own, i) => grown(own, Array.isArray(other) ? other[i] : undefined, key, cut));
  if (typeof one !== "object" || one === null) return one;
  const beside = (other ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, grown(value, beside[name], name, cut)]));
}

/** Both with their scenes unpacked; what happened before the time stays. */
export function grafted(before: Data, after: Data, at: number): Data {
  const forward = (before.times.at(-1) ?? 0) >= (before.times[0] ?? 0);
  const keep = before.times.filter((t) => (forward ? t < at : t > at)).length;
  const cut = { keep, more: after.times.length };
  return {
    ...before,
    times: [...before.times.slice(0, keep), ...after.times],
    scene: grown(before.scene, after.scene, "", cut) as Data["scene"],
    plots: grown(before.plots, after.plots, "", cut) as Data["plots"],
    nudges: (before.nudges ?? []).filter(({ t }) => (forward ? t < at : t > at)),
  };
}

/** How far two motions are apart at the same instants: the largest difference of anything that both plot, against the size of its values. */
export function apart(one: Data, other: Data): { name: string; t: number; part: number } | null {
  if (one.times.length !== other.times.length || one.times.some((t, i) => Math.abs(t - other.times[i]!) > 1e-9 * (1 + Math.abs(t)))) return null;
  const named = ({ plots }: Data) => new Map(plots.flatMap(({ log, y, series }) => (log ? [] : series.filter(({ x, scattered }) => x === null && !scattered).map((own) => [own.label || y, own.y] as const))));
  const others = named(other);
  const length = (values: Numbers) => Math.max(...values.map((x) => Math.abs(x ?? 0)), 1e-300);
  const whole = Math.max(...[...named(one).values()].map(length), 0);
  let [most, found]: [number, { name: string; t: number; part: number } | null] = [-1, null];
  for (const [name, values] of named(one)) {
    const beside = others.get(name);
    const size = length(values);
    // Next to nothing is rounding: an energy that balances, a coordinate that stays.
    if (!beside || (size < LITTLE * whole && length(beside) < LITTLE * whole)) continue;
    values.forEach((x, i) => {
      const part = Math.abs((x ?? NaN) - (beside[i] ?? NaN)) / Math.max(size, LITTLE * whole);
      if (part > most) [most, found] = [part, { name, t: one.times[i]!, part }];
    });
  }
  return found;
}
