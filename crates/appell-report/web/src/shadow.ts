// Shadows: what a body covers on the floor, with the light straight above.

import { type Attitude } from "./bodies";
import type { Shape } from "./data";
import { type V, across, plus } from "./vector";

const CORNERS = 28;

/** Points whose hull is the body's. */
function points(shape: Shape, { at, e, given }: Attitude, up: V): V[] {
  const size = (key: string, usual: number) => Math.abs(shape.sizes[key] ?? usual);
  const circle = (one: V, two: V, radius: number): V[] =>
    Array.from({ length: CORNERS }, (_, k) => {
      const angle = (2 * Math.PI * k) / CORNERS;
      return plus(plus(at, one, radius * Math.cos(angle)), two, radius * Math.sin(angle));
    });
  switch (shape.shape) {
    case "ball":
      return circle(...across(up), size("radius", 0.1));
    case "rod": {
      const direction = given ?? e[0];
      return [-0.5, 0.5].map((side) => plus(at, direction, side * size("length", 1)));
    }
    case "box": {
      const long = size("length", 1);
      const sides = [long, size("width", long), size("height", long)];
      const axes = given && !shape.axes ? [given, ...across(given)] : e;
      return Array.from({ length: 8 }, (_, k) =>
        sides.reduce((p, side, i) => plus(p, axes[i]!, ((k >> i) & 1 ? 0.5 : -0.5) * side), at),
      );
    }
    default:
      return circle(...across(given ?? e[2]), size("radius", 0.5));
  }
}

/** The convex hull of points in the plane, in order round it. */
export function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const side = (list: [number, number][]) => {
    const out: [number, number][] = [];
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = [out[out.length - 2]!, out[out.length - 1]!];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...side(sorted), ...side(sorted.reverse())];
}

/** The corners of the shadow, dropped along `up` by the function given. */
export function shadow(shape: Shape, now: Attitude, up: V, drop: (p: V) => [number, number]): [number, number][] {
  return hull(points(shape, now, up).map(drop));
}
