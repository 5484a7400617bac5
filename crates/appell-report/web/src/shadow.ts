// Shadows: what a body covers on the floor, with the light straight above.

import { type Attitude, radii, sided, sides, sized, spread } from "./bodies";
import type { Shape } from "./data";
import { boxed, circle } from "./solids";
import { type V, across, plus } from "./vector";

const CORNERS = 28;

/** Points whose hull is the body's; none for what throws no shadow. */
function points(shape: Shape, now: Attitude, up: V): V[] {
  const { at, e, given } = now;
  const round = (at: V, normal: V, radius: number) => circle(at, ...spread(now, normal), radius, CORNERS);
  const ends = (axis: V, long: number) => [-0.5, 0.5].map((side) => plus(at, axis, side * long));
  const long = sized(shape, "length", sized(shape, "height", 1));
  switch (shape.shape) {
    case "ball":
      return circle(at, ...across(up), sized(shape, "radius", 0.1), CORNERS);
    case "ellipsoid": {
      const radius = radii(shape);
      const rings = [0, 1, 2].flatMap((i) => {
        const [j, k] = [(i + 1) % 3, (i + 2) % 3];
        const scaled = (index: number): V => plus([0, 0, 0], e[index]!, radius[index]!);
        return circle(at, scaled(j), scaled(k), 1, CORNERS);
      });
      return rings;
    }
    case "rod":
    case "blade":
      return ends(given ?? e[0], long);
    case "box": {
      const [axes, whole] = [boxed(now), sided(shape)];
      return Array.from({ length: 8 }, (_, k) => whole.reduce((p, side, i) => plus(p, axes[i]!, ((k >> i) & 1 ? 0.5 : -0.5) * side), at));
    }
    case "cylinder":
      return ends(given ?? e[2], long).flatMap((end) => round(end, given ?? e[2], sized(shape, "radius", 0.5)));
    case "cone": {
      const [base, tip] = ends(given ?? e[2], long);
      return [tip!, ...round(base!, given ?? e[2], sized(shape, "radius", 0.5))];
    }
    case "disc":
    case "wheel":
      return round(at, given ?? e[2], sized(shape, "radius", 0.5));
    case "plate": {
      const [a, b] = sides(shape);
      const [one, two] = now.normal ? spread(now, now.normal) : [e[0], e[1]];
      return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([p, q]) => plus(plus(at, one, (p! * a) / 2), two, (q! * b) / 2));
    }
    case "line":
    case "polyline":
    case "spring":
      return now.points.length === 2 ? now.points : [];
    case "ground":
      return [];
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
