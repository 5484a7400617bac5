// Places of shapes, as crates/appell-report/src/page/tracks.rs writes them.

import type { Scene, Track } from "./data";
import { type V, cross, sample } from "./vector";

/** A scene as it stands in the page: tracks by their numbers, and two axes of three. */
type Numbered<T> = { [K in keyof T]: K extends "axes" | "points" ? number[] | null | undefined : K extends "at" | "along" | "axis" | "normal" ? number | null | undefined : T[K] };
export interface PackedScene extends Omit<Scene, "shapes" | "marks"> {
  tracks: string[];
  shapes: Numbered<Scene["shapes"][number]>[];
  marks: (Omit<Scene["marks"][number], "axes"> & { axes: number[] | null })[];
}

/** Whole numbers of a step, each told by how much it differs from where the two before it point; 0 is undefined. */
function track(text: string, samples: number): Track {
  const [step, packed] = text.split(";");
  if (packed === undefined) {
    const rests = text.split(",").map(Number);
    return Array.from({ length: 3 * samples }, (_, i) => rests[i % 3]!);
  }
  const [unit, bytes] = [Number(step), atob(packed)];
  const out: Track = [];
  const before = [0, 0, 0, 0, 0, 0];
  for (let at = 0, k = 0; at < bytes.length; k = (k + 1) % 3) {
    let [value, place, byte] = [0, 1, 0];
    do {
      byte = bytes.charCodeAt(at++);
      value += (byte & 127) * place;
      place *= 128;
    } while (byte & 128);
    if (value === 0) {
      out.push(null);
      continue;
    }
    value -= 1;
    const difference = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    const now = difference + 2 * before[k]! - before[k + 3]!;
    [before[k], before[k + 3]] = [now, before[k]!];
    out.push(now * unit);
  }
  return out;
}

/** Across two axes. */
function third(one: Track, two: Track): Track {
  const across = (i: number): V => cross(sample(one, i), sample(two, i));
  return Array.from({ length: one.length / 3 }, (_, i) => across(i)).flat();
}

export function unpacked(scene: PackedScene, samples: number): Scene {
  const known = scene.tracks.map((text) => track(text, samples));
  const one = (number: number | null | undefined) => (number === null || number === undefined ? null : known[number]!);
  const turns = new Map<string, Track[]>();
  const axes = (numbers: number[] | null | undefined) => {
    if (!numbers) return null;
    const key = numbers.join();
    const [a, b] = numbers.map((number) => known[number]!);
    if (!turns.has(key)) turns.set(key, [a!, b!, third(a!, b!)]);
    return turns.get(key)!;
  };
  const own = <K extends string>(name: K, value: Track | Track[] | null) => (value ? { [name]: value } : {});
  const shapes = scene.shapes.map((shape) => {
    const { at, points, axes: turned, along, axis, normal, ...rest } = shape;
    return {
      ...rest,
      at: one(at),
      points: (points ?? []).map((number) => known[number]!),
      ...own("axes", axes(turned)),
      ...own("along", one(along)),
      ...own("axis", one(axis)),
      ...own("normal", one(normal)),
    } as Scene["shapes"][number];
  });
  // What is unpacked has no tracks.
  const { tracks: _, ...rest } = scene;
  return { ...rest, shapes, marks: scene.marks.map((mark) => ({ ...mark, axes: axes(mark.axes) })) };
}
