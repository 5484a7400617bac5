// Where names stand: beside what they name, and on nothing else.

import type { Box } from "./arrows";
import { px, set } from "./dom";

type Point = [number, number];

/** A name, the place that it names, and how wide it is. */
export interface Named {
  element: SVGTextElement;
  x: number;
  y: number;
  wide: number;
}

/** How far apart the boxes of a line are, and how thick they are, in pixels. */
const STEP = 9;
const THICK = 5;

/** What a line through points covers, in boxes. */
export function covered(points: Point[]): Box[] {
  return points.slice(1).flatMap(([x, y], i): Box[] => {
    const [fromX, fromY] = points[i]!;
    const count = Math.min(200, Math.ceil(Math.hypot(x - fromX, y - fromY) / STEP));
    return Array.from({ length: count + 1 }, (_, k): Box => {
      const [cx, cy] = [fromX + ((x - fromX) * k) / Math.max(1, count), fromY + ((y - fromY) * k) / Math.max(1, count)];
      return [cx - THICK, cx + THICK, cy - THICK, cy + THICK];
    });
  });
}

const meet = (a: Box, b: Box): boolean => a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];

/** Each name takes the first place that covers nothing, or else what covers least. */
export function place(names: Named[], taken: Box[]): void {
  const used = [...taken];
  for (const { element, x, y, wide } of names) {
    const corners: Point[] = [[10, -9], [-10 - wide, -9], [10, 19], [-10 - wide, 19], [-wide / 2, -14], [-wide / 2, 24], [14, 36], [-14 - wide, 36], [14, -26], [-14 - wide, -26]];
    const box = ([dx, dy]: Point): Box => [x + dx, x + dx + wide, y + dy - 12, y + dy + 3];
    let [best, least] = [corners[0]!, Infinity];
    for (const corner of corners) {
      const count = used.filter((other) => meet(box(corner), other)).length;
      if (count < least) [best, least] = [corner, count];
      if (count === 0) break;
    }
    used.push(box(best));
    set(element, { x: px(x + best[0]), y: px(y + best[1]) });
  }
}
