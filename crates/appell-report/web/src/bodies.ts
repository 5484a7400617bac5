// Rods, discs, balls, boxes and wheels as SVG.

import type { Camera } from "./camera";
import type { Shape } from "./data";
import { px, set, svg } from "./dom";
import { type V, across, between, cross, dot, known, plus, sample, unit } from "./vector";

const CORNERS = 56;
/** Where the light comes from, besides from the reader: from the left, the front and above in the first view. */
const LIGHT: V = unit([-0.25, -0.35, 0.9]);
const FRAME: [V, V, V] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/** A body on the screen. */
export interface Drawn {
  element: SVGGElement;
  at: V;
  draw(place: [number, number], camera: Camera): void;
}

/** How far a body reaches from its centre. */
export function reach(shape: Shape): number {
  const size = (key: string) => Math.abs(shape.sizes[key] ?? 0);
  const box = Math.hypot(size("length"), size("width"), size("height")) / 2;
  return Math.max(size("radius"), box, 1e-9);
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
}

export function attitude(shape: Shape, place: [number, number]): Attitude {
  const axes = shape.axes?.map((axis) => unit(between(axis, place))) as [V, V, V] | undefined;
  const track = shape.axis ?? shape.along;
  const given = track ? unit(between(track, place)) : null;
  return { at: between(shape.at, place), e: axes ?? FRAME, turns: axes !== undefined, given };
}

/** The name of the body's colour, lighter towards the light. */
function shade(normal: V, camera: Camera): string {
  const light = 0.25 * Math.max(0, dot(normal, camera.out)) + 0.75 * Math.max(0, dot(normal, camera.level(...LIGHT)));
  return `color-mix(in oklab, var(--body) ${Math.round(35 + 65 * Math.min(1, light))}%, var(--body-dark))`;
}

export function drawn(shape: Shape, index: number): Drawn {
  const element = svg("g", { class: `shape ${shape.shape}` });
  const size = (key: string, usual: number) => Math.abs(shape.sizes[key] ?? usual);
  const painters: Record<Shape["shape"], () => (now: Attitude, camera: Camera) => void> = {
    rod: () => rod(element, size("length", 1)),
    ball: () => ball(element, size("radius", 0.1), index),
    box: () => box(element, [size("length", 1), size("width", size("length", 1)), size("height", size("length", 1))]),
    disc: () => disc(element, size("radius", 0.5), false),
    wheel: () => disc(element, size("radius", 0.5), true),
  };
  const paint = painters[shape.shape]();
  const body: Drawn = {
    element,
    at: sample(shape.at, 0),
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

function rod(element: SVGGElement, length: number) {
  const [outer, inner] = [svg("path", { class: "rod-outer" }), svg("path", { class: "rod-inner" })];
  element.append(outer, inner);
  return (now: Attitude, camera: Camera) => {
    const direction = now.given ?? now.e[0];
    const ends = [-0.5, 0.5].map((side) => camera.place(plus(now.at, direction, side * length)));
    for (const line of [outer, inner]) set(line, { d: path(ends, false) });
  };
}

function ball(element: SVGGElement, radius: number, index: number) {
  const stop = (offset: string, kind: string) => svg("stop", { offset, class: kind });
  const id = `ball-${index}`;
  const gradient = svg("radialGradient", { id, cx: "0.36", cy: "0.3", r: "0.8" }, stop("0", "lit"), stop("0.55", "mid"), stop("1", "dim"));
  const circle = svg("circle", { fill: `url(#${id})`, class: "ball-outline" });
  const back = svg("path", { class: "meridian back" });
  const circles = [0, 1, 2].map((i) => svg("path", { class: `meridian m${i}` }));
  element.append(svg("defs", {}, gradient), circle, back, ...circles);
  return (now: Attitude, camera: Camera) => {
    const [x, y] = camera.place(now.at);
    set(circle, { cx: px(x), cy: px(y), r: px(radius * camera.scale) });
    circles.forEach((line, i) => {
      if (!now.turns) return;
      const [u, v] = [now.e[(i + 1) % 3]!, now.e[(i + 2) % 3]!];
      let [d, pen] = ["", false];
      for (let k = 0; k <= CORNERS; k++) {
        const angle = (2 * Math.PI * k) / CORNERS;
        const arm = plus(plus([0, 0, 0], u, radius * Math.cos(angle)), v, radius * Math.sin(angle));
        const front = dot(arm, camera.out) >= 0;
        const [sx, sy] = camera.place(plus(now.at, arm));
        if (front) d += `${pen ? "L" : "M"}${px(sx)} ${px(sy)}`;
        pen = front;
      }
      set(line, { d });
    });
  };
}

function box(element: SVGGElement, sides: [number, number, number]) {
  const faces = [0, 1, 2].flatMap((axis) => [-1, 1].map((side) => ({ axis, side, face: svg("path", { class: "face" }) })));
  element.append(...faces.map((face) => face.face));
  return (now: Attitude, camera: Camera) => {
    // Without a frame of its own a box lies along the direction it is given.
    const given = now.given && !now.turns ? unit(now.given) : null;
    const e = given ? ([given, ...across(given)] as [V, V, V]) : now.e;
    for (const { axis, side, face } of faces) {
      const normal = plus([0, 0, 0], e[axis]!, side);
      if (dot(normal, camera.out) <= 1e-6) {
        set(face, { d: "" });
        continue;
      }
      const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
      const middle = plus(now.at, normal, sides[axis]! / 2);
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
        camera.place(plus(plus(middle, e[i]!, (a! * sides[i]!) / 2), e[j]!, (b! * sides[j]!) / 2)),
      );
      set(face, { d: path(corners, true) });
      face.style.fill = shade(normal, camera);
    }
  };
}

/** Seen from the side, a disc is a line; its spokes show how it turns. */
function disc(element: SVGGElement, radius: number, wheel: boolean) {
  const face = svg("path", { class: "plate" });
  const spokes = [0, 1, 2, 3, 4, 5].map((i) => svg("path", { class: i === 0 ? "spoke first" : "spoke" }));
  const rim = svg("path", { class: wheel ? "tyre" : "rim" });
  const hub = svg("circle", { class: "hub", r: 3 });
  element.append(face, ...spokes, rim, hub);
  return (now: Attitude, camera: Camera) => {
    const axle = now.given ?? now.e[2];
    let [one, two] = across(axle);
    if (now.turns) {
      const own = now.e.reduce((best, e) => (Math.abs(dot(e, axle)) < Math.abs(dot(best, axle)) ? e : best));
      one = unit(plus(own, axle, -dot(own, axle)));
      two = cross(axle, one);
    }
    const corner = (angle: number, part = 1) =>
      camera.place(plus(plus(now.at, one, part * radius * Math.cos(angle)), two, part * radius * Math.sin(angle)));
    const circle = Array.from({ length: CORNERS }, (_, k) => corner((2 * Math.PI * k) / CORNERS));
    const outline = path(circle, true);
    set(face, { d: outline, visibility: wheel ? "hidden" : "visible" });
    face.style.fill = shade(dot(axle, camera.out) < 0 ? plus([0, 0, 0], axle, -1) : axle, camera);
    set(rim, { d: outline });
    rim.style.strokeWidth = wheel ? px(Math.max(4, 0.13 * radius * camera.scale)) : "2.5";
    const centre = camera.place(now.at);
    spokes.forEach((spoke, i) => {
      const shows = now.turns || wheel;
      set(spoke, { d: shows ? path([centre, corner((Math.PI * i) / 3, 0.96)], false) : "" });
    });
    set(hub, { cx: px(centre[0]), cy: px(centre[1]) });
  };
}
