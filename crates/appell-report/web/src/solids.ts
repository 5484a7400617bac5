// Solids and surfaces: rods, discs, ellipsoids, boxes, cylinders, cones, plates, ground.

import { type Attitude, type Painter, path, radii, shade, sided, sides, sized, spread } from "./bodies";
import type { Camera } from "./camera";
import type { Shape } from "./data";
import { px, set, svg } from "./dom";
import { hull } from "./shadow";
import { type V, across, dot, plus, unit } from "./vector";

const CORNERS = 56;
/** Lines across a ground. */
const LINES = 10;

const turned = (a: V, sign: number): V => [sign * a[0], sign * a[1], sign * a[2]];

/** A circle in the plane of two directions. */
export function circle(at: V, one: V, two: V, radius: number, corners = CORNERS): V[] {
  return Array.from({ length: corners }, (_, k) => {
    const angle = (2 * Math.PI * k) / corners;
    return plus(plus(at, one, radius * Math.cos(angle)), two, radius * Math.sin(angle));
  });
}

export function rod(element: SVGGElement, shape: Shape): Painter {
  const [outer, inner] = [svg("path", { class: "rod-outer" }), svg("path", { class: "rod-inner" })];
  element.append(outer, inner);
  const length = sized(shape, "length", 1);
  return (now, camera) => {
    const direction = now.given ?? now.e[0];
    const ends = [-0.5, 0.5].map((side) => camera.place(plus(now.at, direction, side * length)));
    for (const line of [outer, inner]) set(line, { d: path(ends, false) });
  };
}

/** Balls too. The outline of an ellipsoid is an ellipse; three circles on it show how it turns. */
export function ellipsoid(element: SVGGElement, shape: Shape, index: number): Painter {
  const stop = (offset: string, kind: string) => svg("stop", { offset, class: kind });
  const id = `ball-${index}`;
  const gradient = svg("radialGradient", { id, cx: "0.36", cy: "0.3", r: "0.8" }, stop("0", "lit"), stop("0.55", "mid"), stop("1", "dim"));
  const outline = svg("path", { fill: `url(#${id})`, class: "ball-outline" });
  const circles = [0, 1, 2].map((i) => svg("path", { class: `meridian m${i}` }));
  element.append(svg("defs", {}, gradient), outline, ...circles);
  const radius = radii(shape);
  return (now, camera) => {
    set(outline, { d: path(silhouette(now, radius, camera), true) });
    if (!now.turns) return;
    circles.forEach((line, i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      let [d, pen] = ["", false];
      for (let step = 0; step <= CORNERS; step++) {
        const [cos, sin] = [Math.cos((2 * Math.PI * step) / CORNERS), Math.sin((2 * Math.PI * step) / CORNERS)];
        const normal = plus(plus([0, 0, 0], now.e[j]!, cos / radius[j]!), now.e[k]!, sin / radius[k]!);
        const front = dot(normal, camera.out) >= 0;
        const [x, y] = camera.place(plus(plus(now.at, now.e[j]!, radius[j]! * cos), now.e[k]!, radius[k]! * sin));
        if (front) d += `${pen ? "L" : "M"}${px(x)} ${px(y)}`;
        pen = front;
      }
      set(line, { d });
    });
  };
}

/** With the columns of P the half axes on the screen, the outline is the image of the unit circle under the root of P P'. */
function silhouette(now: Attitude, radius: [number, number, number], camera: Camera): [number, number][] {
  const half = now.e.map((e, i) => [radius[i]! * dot(e, camera.right), radius[i]! * dot(e, camera.up)] as const);
  const sum = (f: (x: number, y: number) => number) => half.reduce((sum, [x, y]) => sum + f(x, y), 0);
  const [xx, xy, yy] = [sum((x) => x * x), sum((x, y) => x * y), sum((_, y) => y * y)];
  const root = Math.sqrt(Math.max(0, xx * yy - xy * xy));
  const scale = camera.scale / Math.sqrt(Math.max(1e-300, xx + yy + 2 * root));
  const [cx, cy] = camera.place(now.at);
  return Array.from({ length: CORNERS }, (_, k): [number, number] => {
    const [cos, sin] = [Math.cos((2 * Math.PI * k) / CORNERS), Math.sin((2 * Math.PI * k) / CORNERS)];
    return [cx + scale * ((xx + root) * cos + xy * sin), cy - scale * (xy * cos + (yy + root) * sin)];
  });
}

export function box(element: SVGGElement, shape: Shape): Painter {
  const faces = [0, 1, 2].flatMap((axis) => [-1, 1].map((side) => ({ axis, side, face: svg("path", { class: "face" }) })));
  element.append(...faces.map((face) => face.face));
  const whole = sided(shape);
  return (now, camera) => {
    const e = boxed(now);
    for (const { axis, side, face } of faces) {
      const normal = turned(e[axis]!, side);
      if (dot(normal, camera.out) <= 1e-6) {
        set(face, { d: "" });
        continue;
      }
      const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
      const centre = plus(now.at, normal, whole[axis]! / 2);
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
        camera.place(plus(plus(centre, e[i]!, (a! * whole[i]!) / 2), e[j]!, (b! * whole[j]!) / 2)),
      );
      set(face, { d: path(corners, true) });
      face.style.fill = shade(normal, camera);
    }
  };
}

/** Without a frame of its own a box lies along the direction it is given. */
export function boxed(now: Attitude): [V, V, V] {
  return now.given && !now.turns ? [now.given, ...across(now.given)] : now.e;
}

/** Discs and wheels. Seen from the side, a disc is a line; its spokes show how it turns. */
export function disc(element: SVGGElement, shape: Shape): Painter {
  const wheel = shape.shape === "wheel";
  const radius = sized(shape, "radius", 0.5);
  const face = svg("path", { class: "plate-face" });
  const spokes = [0, 1, 2, 3, 4, 5].map((i) => svg("path", { class: i === 0 ? "spoke first" : "spoke" }));
  const rim = svg("path", { class: wheel ? "tyre" : "rim" });
  const hub = svg("circle", { class: "hub", r: 3 });
  element.append(face, ...spokes, rim, hub);
  return (now, camera) => {
    const axle = now.given ?? now.e[2];
    const [one, two] = spread(now, axle);
    const outline = path(circle(now.at, one, two, radius).map((p) => camera.place(p)), true);
    set(face, { d: outline, visibility: wheel ? "hidden" : "inherit" });
    face.style.fill = shade(facing(axle, camera), camera);
    set(rim, { d: outline });
    rim.style.strokeWidth = wheel ? px(Math.max(2.5, 0.11 * radius * camera.scale)) : "2.5";
    const centre = camera.place(now.at);
    spokes.forEach((spoke, i) => {
      const shows = now.turns || wheel;
      const angle = (Math.PI * i) / 3;
      const tip = plus(plus(now.at, one, 0.96 * radius * Math.cos(angle)), two, 0.96 * radius * Math.sin(angle));
      set(spoke, { d: shows ? path([centre, camera.place(tip)], false) : "" });
    });
    set(hub, { cx: px(centre[0]), cy: px(centre[1]), r: px(Math.min(3, 0.12 * radius * camera.scale + 0.6)) });
  };
}

/** The direction or its opposite, whichever points to the reader. */
const facing = (a: V, camera: Camera): V => (dot(a, camera.out) < 0 ? turned(a, -1) : a);

/** The side of a round body without the part of the axis in what points to the reader. */
function flank(axis: V, camera: Camera): V {
  return unit(plus(camera.out, axis, -dot(camera.out, axis)), camera.out);
}

export function cylinder(element: SVGGElement, shape: Shape): Painter {
  const [side, cap, mark] = [svg("path", { class: "face" }), svg("path", { class: "face" }), svg("path", { class: "spoke" })];
  element.append(side, cap, mark);
  const [radius, length] = [sized(shape, "radius", 0.5), sized(shape, "length", sized(shape, "height", 1))];
  return (now, camera) => {
    const axis = now.given ?? now.e[2];
    const [one, two] = spread(now, axis);
    const ends = [-0.5, 0.5].map((part) => circle(plus(now.at, axis, part * length), one, two, radius));
    set(side, { d: path(hull(ends.flat().map((p) => camera.place(p))), true) });
    side.style.fill = shade(flank(axis, camera), camera);
    const front = facing(axis, camera);
    const end = plus(now.at, front, length / 2);
    set(cap, { d: path(circle(end, one, two, radius).map((p) => camera.place(p)), true) });
    cap.style.fill = shade(front, camera);
    set(mark, { d: now.turns ? path([camera.place(end), camera.place(plus(end, one, radius))], false) : "" });
  };
}

/** Its tip lies in the direction of `along` or `axis`, its centre half-way to the base. */
export function cone(element: SVGGElement, shape: Shape): Painter {
  const [side, base] = [svg("path", { class: "face" }), svg("path", { class: "face" })];
  element.append(side, base);
  const [radius, length] = [sized(shape, "radius", 0.5), sized(shape, "length", sized(shape, "height", 1))];
  return (now, camera) => {
    const axis = now.given ?? now.e[2];
    const [one, two] = spread(now, axis);
    const tip = plus(now.at, axis, length / 2);
    const rim = circle(plus(now.at, axis, -length / 2), one, two, radius).map((p) => camera.place(p));
    set(side, { d: path(hull([...rim, camera.place(tip)]), true) });
    side.style.fill = shade(flank(axis, camera), camera);
    const seen = dot(axis, camera.out) < 0;
    set(base, { d: seen ? path(rim, true) : "" });
    base.style.fill = shade(turned(axis, -1), camera);
  };
}

/** The two directions and half sides of a plate. */
function stretched(now: Attitude, shape: Shape): { normal: V; one: V; two: V } {
  const [a, b] = sides(shape);
  const normal = now.normal ?? now.e[2];
  let [one, two] = now.normal && !now.turns ? across(now.normal) : now.normal ? spread(now, now.normal) : [now.e[0], now.e[1]];
  if (now.given) {
    one = unit(plus(now.given, normal, -dot(now.given, normal)));
    two = unit([normal[1] * one[2] - normal[2] * one[1], normal[2] * one[0] - normal[0] * one[2], normal[0] * one[1] - normal[1] * one[0]]);
  }
  return { normal, one: turned(one, a / 2), two: turned(two, b / 2) };
}

export function plate(element: SVGGElement, shape: Shape): Painter {
  const face = svg("path", { class: "face plate-face" });
  element.append(face);
  return (now, camera) => {
    const { normal, one, two } = stretched(now, shape);
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => camera.place(plus(plus(now.at, one, a!), two, b!)));
    set(face, { d: path(corners, true) });
    face.style.fill = shade(facing(normal, camera), camera);
  };
}

/** A plane with lines that show how it moves. */
export function ground(element: SVGGElement, shape: Shape): Painter {
  const [face, lines] = [svg("path", { class: "ground-face" }), svg("path", { class: "ground-lines" })];
  element.append(face, lines);
  const radius = sized(shape, "radius", 1);
  /** A table: a circle with spokes, the first of which stands out. */
  const round = (one: V, two: V, now: Attitude, camera: Camera) => {
    const rim = (part: number) => path(circle(now.at, one, two, part * radius).map((p) => camera.place(p)), true);
    set(face, { d: rim(1) });
    const spokes = circle(now.at, one, two, radius, 12).map((p) => path([camera.place(now.at), camera.place(p)], false));
    set(lines, { d: rim(1 / 3) + rim(2 / 3) + spokes.join("") + spokes[0] });
  };
  return (now, camera) => {
    const { one, two } = stretched(now, shape);
    if (shape.sizes["radius"]) {
      round(unit(one), unit(two), now, camera);
      return;
    }
    const on = (a: number, b: number) => camera.place(plus(plus(now.at, one, a), two, b));
    set(face, { d: path([on(-1, -1), on(1, -1), on(1, 1), on(-1, 1)], true) });
    let d = "";
    for (let k = 0; k <= LINES; k++) {
      const part = (2 * k) / LINES - 1;
      d += path([on(part, -1), on(part, 1)], false) + path([on(-1, part), on(1, part)], false);
    }
    set(lines, { d });
  };
}
