// What a body is at a time, and the table of shapes.

import type { Camera } from "./camera";
import type { Shape, Track } from "./data";
import { px, set, svg } from "./dom";
import { blade, polyline, spring } from "./lines";
import { box, cone, cylinder, disc, ellipsoid, ground, plate, rod } from "./solids";
import { type V, across, between, cross, dot, known, plus, sample, unit } from "./vector";

/** Where the light comes from, besides from the reader: from the left, the front and above in the first view. */
const LIGHT: V = unit([-0.25, -0.35, 0.9]);
const FRAME: [V, V, V] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
/** Named colours that are hues of the page. */
const HUES = ["blue", "orange", "green", "pink", "ochre", "purple", "grey"];

/** A body on the screen. */
export interface Drawn {
  element: SVGGElement;
  at: V;
  /** What lies under everything else. */
  under: boolean;
  draw(place: [number, number], camera: Camera): void;
}

/** A size of a shape: the first under its key. */
export function sized(shape: Shape, key: string, usual: number): number {
  return Math.abs(shape.sizes[key]?.[0] ?? usual);
}

/** The three radii of a shape that is round in every direction. */
export function radii(shape: Shape): [number, number, number] {
  const own = (shape.sizes["radii"] ?? []).map((x) => Math.abs(x ?? 0));
  const radius = sized(shape, "radius", 0.1);
  return own.length === 3 ? (own as [number, number, number]) : [radius, radius, radius];
}

/** The sides of a plate or ground. */
export function sides(shape: Shape): [number, number] {
  const size = shape.sizes["size"] ?? [];
  const one = Math.abs(size[0] ?? sized(shape, "length", 1));
  return [one, Math.abs(size[1] ?? size[0] ?? sized(shape, "width", one))];
}

/** The sides of a box. */
export function sided(shape: Shape): [number, number, number] {
  const long = sized(shape, "length", 1);
  return [long, sized(shape, "width", long), sized(shape, "height", long)];
}

/** How far a body reaches from its centre. */
export function reach(shape: Shape): number {
  const size = (key: string) => sized(shape, key, 0);
  if (shape.sizes["radius"] === undefined && ["ground", "plate"].includes(shape.shape)) return Math.hypot(...sides(shape)) / 2;
  const box = Math.hypot(size("length"), size("width"), size("height")) / 2;
  const round = shape.shape === "cylinder" ? Math.hypot(size("radius"), size("length") / 2) : size("radius");
  const wide = shape.points.length > 0 ? 0 : box;
  return Math.max(round, wide, ...(shape.sizes["radii"] ?? []).map((x) => Math.abs(x ?? 0)), 1e-9);
}

export const path = (points: [number, number][], closed: boolean): string =>
  points.length === 0 ? "" : "M" + points.map(([x, y]) => `${px(x)} ${px(y)}`).join("L") + (closed ? "Z" : "");

/** The directions of a body at a time. */
export interface Attitude {
  at: V;
  e: [V, V, V];
  turns: boolean;
  /** The direction given by `axis` or `along`. */
  given: V | null;
  normal: V | null;
  points: V[];
}

export function attitude(shape: Shape, place: [number, number]): Attitude {
  const axes = shape.axes?.map((axis) => unit(between(axis, place))) as [V, V, V] | undefined;
  const direction = (track: Track | undefined): V | null => (track ? unit(between(track, place)) : null);
  const points = shape.points.map((track) => between(track, place));
  return {
    at: shape.at ? between(shape.at, place) : middle(points),
    e: axes ?? FRAME,
    turns: axes !== undefined,
    given: direction(shape.axis ?? shape.along),
    normal: direction(shape.normal),
    points,
  };
}

/** The mean of some places. */
export function middle(points: V[]): V {
  const sum = points.reduce((sum, p) => plus(sum, p), [0, 0, 0] as V);
  return plus([0, 0, 0], sum, 1 / Math.max(1, points.length));
}

/** Two directions in the plane of a disc or plate: those of its body, if it turns with one. */
export function spread({ e, turns }: Attitude, normal: V): [V, V] {
  if (!turns) return across(normal);
  const own = e.reduce((best, e) => (Math.abs(dot(e, normal)) < Math.abs(dot(best, normal)) ? e : best));
  const one = unit(plus(own, normal, -dot(own, normal)));
  return [one, cross(normal, one)];
}

/** The name of the body's colour, lighter towards the light. */
export function shade(normal: V, camera: Camera): string {
  const light = 0.25 * Math.max(0, dot(normal, camera.out)) + 0.75 * Math.max(0, dot(normal, camera.level(...LIGHT)));
  return `color-mix(in oklab, var(--body) ${Math.round(35 + 65 * Math.min(1, light))}%, var(--body-dark))`;
}

/** What a shape paints, given what it is now. */
export type Painter = (now: Attitude, camera: Camera) => void;

const PAINTERS: Record<Shape["shape"], (element: SVGGElement, shape: Shape, index: number) => Painter> = {
  rod,
  ball: ellipsoid,
  ellipsoid,
  box,
  disc,
  wheel: disc,
  cylinder,
  cone,
  plate,
  ground,
  line: polyline,
  polyline,
  spring,
  blade,
};

export function drawn(shape: Shape, index: number): Drawn {
  const element = svg("g", { class: `shape ${shape.shape}` });
  tint(element, shape.colour);
  const paint = PAINTERS[shape.shape](element, shape, index);
  const body: Drawn = {
    element,
    at: sample(shape.at ?? shape.points[0] ?? [], 0),
    under: shape.shape === "ground",
    draw(place, camera) {
      const now = attitude(shape, place);
      const seen = known(now.at);
      set(element, { visibility: seen ? "visible" : "hidden" });
      if (!seen) return;
      body.at = now.at;
      paint(now, camera);
    },
  };
  return body;
}

/** The colour of a body, its dark side and its lines. */
function tint(element: SVGElement, colour: string | undefined): void {
  if (colour === undefined) return;
  const hue = HUES.indexOf(colour);
  const full = hue >= 0 ? `var(--s${hue})` : colour;
  element.style.setProperty("--body", hue >= 0 ? `color-mix(in oklab, ${full} 62%, white)` : full);
  element.style.setProperty("--body-dark", `color-mix(in oklab, ${full} 62%, black)`);
  element.style.setProperty("--line-colour", full);
}
