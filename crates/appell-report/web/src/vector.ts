// Vectors in space.

import type { Track } from "./data";

export type V = readonly [number, number, number];

export const dot = (a: V, b: V): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const plus = (a: V, b: V, by = 1): V => [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]];
export const cross = (a: V, b: V): V => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const size = (a: V): number => Math.sqrt(dot(a, a));
export const unit = (a: V, otherwise: V = [1, 0, 0]): V => {
  const length = size(a);
  return length > 0 ? [a[0] / length, a[1] / length, a[2] / length] : otherwise;
};
export const known = (a: V): boolean => a.every(Number.isFinite);

/** The vector of a sample. */
export function sample(track: Track, index: number): V {
  const x = (i: number) => track[3 * index + i] ?? NaN;
  return [x(0), x(1), x(2)];
}

/** The vector between two samples. */
export function between(track: Track, [index, part]: [number, number]): V {
  const a = sample(track, index);
  if (part === 0 || 3 * index + 5 >= track.length) return a;
  const b = sample(track, index + 1);
  return known(b) ? plus(a, plus(b, a, -1), part) : a;
}

/** Two directions across a third. */
export function across(axis: V): [V, V] {
  const one = unit(cross(Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], axis));
  return [one, cross(axis, one)];
}
