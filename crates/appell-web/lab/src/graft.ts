// A motion that goes on otherwise from an instant on: its numbers before, and those of another after.

import type { Data, Plot, Series } from "../../../appell-report/web/src/data";

/** Three numbers a sample. */
const TRACKS = new Set(["at", "vector", "along", "axis", "normal", "axes", "points"]);

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
  if (TRACKS.has(key) && isNumbers(one) && one.length > 0) return joined(one, other, 3, cut);
  if (Array.isArray(one)) return one.map((own, i) => grown(own, Array.isArray(other) ? other[i] : undefined, key, cut));
  if (typeof one !== "object" || one === null) return one;
  const beside = (other ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, grown(value, beside[name], name, cut)]));
}

/** What a hand did to the motion. */
export interface Change {
  label: string;
  /** By how much the energy was changed; null where there is none. */
  work: number | null;
}

/** The plot of the energy's account, and its curves that go on from zero. */
const ACCOUNT = /^Energy, from E₀/;
const WORK = /^work of /;
const NUDGES = "work of nudges";

/** The thing of the same name: the first with the first, the second with the second. */
function paired<T>(all: T[], others: T[], name: (own: T) => string): [T | undefined, T | undefined][] {
  const rest = [...others];
  const pairs = all.map((own): [T | undefined, T | undefined] => {
    const at = rest.findIndex((other) => name(other) === name(own));
    return [own, at < 0 ? undefined : rest.splice(at, 1)[0]];
  });
  return [...pairs, ...rest.map((other): [undefined, T] => [undefined, other])];
}

/** A curve goes on: from where it was, or from what it is `above`. */
function continued(y: Numbers, by: number | null): Numbers {
  return y.map((own) => (own === null || by === null ? null : own + by));
}

/** A look that no curve has yet. */
function pen(series: Series[]): [number, number] {
  const taken = new Set(series.map(({ pen }) => pen.join()));
  const all = [...Array(49).keys()].map((i): [number, number] => [i % 7, (i + Math.floor(i / 7)) % 7]);
  // It may lie on another curve: dashes show that.
  return all.find((own) => own[1] > 0 && !taken.has(own.join())) ?? [0, 0];
}

/** The last value of a curve before the cut, and what is between there and the cut. */
function until({ times }: Data, y: Numbers, at: number): number | null {
  const i = times.findIndex((t, i) => (t - at) * ((times.at(-1) ?? 0) - (times[0] ?? 0)) >= 0 && y[i] !== null);
  if (i < 0) return [...y].reverse().find((x) => x !== null) ?? null;
  const [t0, t1, y0, y1] = [times[i - 1], times[i]!, y[i - 1], y[i]!];
  if (t0 === undefined || y0 == null || t1 === at) return y1;
  return y0 + ((at - t0) / (t1 - t0)) * (y1 - y0);
}

/** One plot after the other; curves that only one of them has are there while it lasts. */
function joinedPlot(one: Plot, other: Plot | undefined, cut: Cut, account: (own: Series | undefined, next: Series | undefined) => number | null): Plot {
  const series: Series[] = [];
  for (const [own, next] of paired(one.series, other?.series ?? [], ({ label }) => label)) {
    const like = (own ?? next)!;
    const by = ACCOUNT.test(one.title) ? account(own, next) : 0;
    const none = new Array<null>(cut.keep).fill(null);
    // A work that was too small to be drawn.
    const start = own?.y ?? (WORK.test(like.label) ? none.map(() => 0) : none);
    const rest = next ? continued(next.y, by) : WORK.test(like.label) ? new Array<number | null>(cut.more).fill(by) : null;
    const x = like.x && joined(own?.x ?? none, next?.x, 1, cut);
    series.push({ ...like, pen: own ? own.pen : pen([...one.series, ...series]), x, y: joined(start, rest, 1, cut) });
  }
  return { ...one, series };
}

/** The account with what the hand added to the energy. */
function withNudges(plot: Plot, cut: Cut, work: number): Plot {
  const known = plot.series.find(({ label }) => label === NUDGES);
  const before = known?.y.slice(0, cut.keep) ?? new Array<number>(cut.keep).fill(0);
  const y = [...before, ...new Array<number>(cut.more).fill((before.at(-1) ?? 0) + work)];
  const own: Series = known ? { ...known, y } : { label: NUDGES, scattered: false, pen: pen(plot.series), x: null, y };
  return { ...plot, series: [...plot.series.filter((one) => one !== known), own] };
}

/** Both with their scenes unpacked; what happened before the time stays. The account of the energy goes on: the motion begins with energies
 * `above` those of the first, and what was worked before was worked. */
export function grafted(before: Data, after: Data, at: number, above: Record<string, number | null>, change: Change | null): Data {
  const forward = (before.times.at(-1) ?? 0) >= (before.times[0] ?? 0);
  const keep = before.times.filter((t) => (forward ? t < at : t > at)).length;
  const cut = { keep, more: after.times.length };
  const account = (own: Series | undefined, next: Series | undefined): number | null => {
    const { label } = (own ?? next)!;
    if (WORK.test(label)) return own ? until(before, own.y, at) : 0;
    return above[label] ?? null;
  };
  const title = (plot: Plot) => plot.title.replace(/,.*/, "");
  const pairs = paired(before.plots, after.plots, title).filter(([own]) => own !== undefined);
  const plots = pairs.map(([own, next]) => joinedPlot(own!, next, cut, account));
  const nudges = (before.nudges ?? []).filter(({ t }) => (forward ? t < at : t > at));
  const nudged = change !== null || nudges.length > 0;
  return {
    ...before,
    times: [...before.times.slice(0, keep), ...after.times],
    scene: grown(before.scene, after.scene, "", cut) as Data["scene"],
    plots: plots.map((plot) => (nudged && ACCOUNT.test(plot.title) ? withNudges(plot, cut, change?.work ?? 0) : plot)),
    nudges: change ? [...nudges, { t: at, label: change.label }] : nudges,
    by_hand: true,
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
