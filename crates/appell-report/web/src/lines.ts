// Lines, springs, blades: what has ends and hardly a width.

import { type Painter, path, sized } from "./bodies";
import type { Shape } from "./data";
import { px, set, svg } from "./dom";
import { type V, across, known, plus, size, unit } from "./vector";

const COILS = 9;
const STEPS = 14;
/** The usual width of a line in pixels. */
const WIDE = 3;

/** A line or polyline; `width` is a length in the picture. */
export function polyline(element: SVGGElement, shape: Shape): Painter {
  const line = svg("path", { class: "thin" });
  element.append(line);
  const wide = shape.sizes["width"] ? sized(shape, "width", 0) : 0;
  return (now, camera) => {
    set(line, { d: path(now.points.filter(known).map((p) => camera.place(p)), false) });
    line.style.strokeWidth = px(wide > 0 ? Math.max(1.5, wide * camera.scale) : WIDE);
  };
}

/** A helix between its ends; it has the same coils at any length. */
export function spring(element: SVGGElement, shape: Shape): Painter {
  const line = svg("path", { class: "thin coil" });
  element.append(line);
  return (now, camera) => {
    const [from, to] = [now.points[0]!, now.points[1]!];
    const whole = plus(to, from, -1);
    const long = size(whole);
    const along = unit(whole);
    const [one, two] = across(along);
    const radius = sized(shape, "radius", 0.07 * long);
    const points: V[] = [from];
    for (let k = 0; k <= COILS * STEPS; k++) {
      const angle = (2 * Math.PI * k) / STEPS;
      const on = plus(from, along, long * (0.08 + (0.84 * k) / (COILS * STEPS)));
      points.push(plus(plus(on, one, radius * Math.cos(angle)), two, radius * Math.sin(angle)));
    }
    points.push(to);
    set(line, { d: path(points.filter(known).map((p) => camera.place(p)), false) });
  };
}

/** A knife edge or skate: pointed at both ends. */
export function blade(element: SVGGElement, shape: Shape): Painter {
  const face = svg("path", { class: "edge-blade" });
  element.append(face);
  const long = sized(shape, "length", 1);
  return (now, camera) => {
    const along = now.given ?? now.e[0];
    const [[ax, ay], [bx, by]] = [-0.5, 0.5].map((side) => camera.place(plus(now.at, along, side * long))) as [[number, number], [number, number]];
    const length = Math.hypot(bx - ax, by - ay);
    const thick = Math.min(4.5, 0.08 * length);
    const [nx, ny] = length > 0 ? [(-thick * (by - ay)) / length, (thick * (bx - ax)) / length] : [0, 0];
    const on = (part: number, side: number): [number, number] => [ax + part * (bx - ax) + side * nx, ay + part * (by - ay) + side * ny];
    set(face, { d: path([on(0, 0), on(0.14, 1), on(0.86, 1), on(1, 0), on(0.86, -1), on(0.14, -1)], true) });
  };
}
