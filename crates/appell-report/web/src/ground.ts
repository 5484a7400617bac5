// What does not move: a grid, the directions of the axes, a scale.

import type { Camera } from "./camera";
import { px, set, svg } from "./dom";
import { labels, linear, nice } from "./ticks";
import { dot, plus } from "./vector";

const NAMES = ["x", "y", "z"];

export class Ground {
  readonly element = svg("g", { class: "ground", "aria-hidden": true });
  private readonly lines = svg("path", { class: "grid" });
  private readonly texts = svg("g", { class: "grid-labels" });
  private readonly triad = svg("g", { class: "triad" });
  private readonly bar = svg("path", { class: "bar" });
  private readonly barLabel = svg("text", { class: "bar-label" });

  constructor(private readonly level: number | null) {
    this.element.append(this.lines, this.texts, this.triad, this.bar, this.barLabel);
  }

  draw(camera: Camera): void {
    if (camera.plane) this.plane(camera);
    else this.floor(camera);
  }

  /** Lines over the whole picture, with their values at its edges. */
  private plane(camera: Camera): void {
    const [i, j] = camera.plane!;
    const half = [camera.width / 2 / camera.scale, camera.height / 2 / camera.scale];
    const [cx, cy] = [camera.centre[i]!, camera.centre[j]!];
    const step = nice(90 / camera.scale);
    const range = (centre: number, half: number) => linear(centre - half, centre + half, Math.ceil((2 * half) / step));
    const [xs, ys] = [range(cx, half[0]!), range(cy, half[1]!)];
    const at = (x: number, y: number) => {
      const p: [number, number, number] = [0, 0, 0];
      [p[i], p[j]] = [x, y];
      return camera.place(p);
    };
    let d = "";
    const texts: SVGTextElement[] = [];
    const { width, height } = camera;
    labels(xs).forEach((label, k) => {
      const [x] = at(xs[k]!, cy);
      d += `M${px(x)} 0V${px(height)}`;
      if (x > 40 && x < width - 48) texts.push(svg("text", { x: px(x + 4), y: px(height - 6) }, label));
    });
    labels(ys).forEach((label, k) => {
      const [, y] = at(cx, ys[k]!);
      d += `M0 ${px(y)}H${px(width)}`;
      if (y > 24 && y < height - 26) texts.push(svg("text", { x: 6, y: px(y - 4) }, label));
    });
    const axis = (name: string, x: number, y: number) => svg("text", { x: px(x), y: px(y), class: "axis-name" }, name);
    texts.push(axis(NAMES[i]!, width - 14, height - 6), axis(NAMES[j]!, 6, 15));
    set(this.lines, { d });
    this.texts.replaceChildren(...texts);
  }

  /** A horizontal grid where things stand, the axes in a corner, and a scale. */
  private floor(camera: Camera): void {
    let d = "";
    const reach = (0.75 * Math.max(camera.width, camera.height)) / camera.scale;
    const step = nice(64 / camera.scale);
    if (this.level !== null) {
      const [one, two, up] = camera.frame;
      const [cx, cy] = [dot(camera.centre, one), dot(camera.centre, two)];
      const count = Math.min(14, Math.ceil(reach / step));
      const [x0, y0] = [Math.round(cx / step), Math.round(cy / step)];
      const on = ([x, y]: [number, number]) => camera.place(plus(plus(plus([0, 0, 0], one, x), two, y), up, this.level!));
      const line = (a: [number, number], b: [number, number]) => {
        const [[ax, ay], [bx, by]] = [on(a), on(b)];
        d += `M${px(ax)} ${px(ay)}L${px(bx)} ${px(by)}`;
      };
      for (let k = -count; k <= count; k++) {
        const [x, y] = [(x0 + k) * step, (y0 + k) * step];
        line([x, (y0 - count) * step], [x, (y0 + count) * step]);
        line([(x0 - count) * step, y], [(x0 + count) * step, y]);
      }
    }
    set(this.lines, { d });
    const corner: [number, number] = [camera.width - 52, camera.height - 46];
    this.triad.replaceChildren(
      ...NAMES.flatMap((name, i) => {
        const [dx, dy] = [32 * camera.right[i]!, -32 * camera.up[i]!];
        const [x, y] = [corner[0] + dx, corner[1] + dy];
        return [
          svg("path", { d: `M${px(corner[0])} ${px(corner[1])}L${px(x)} ${px(y)}` }),
          svg("text", { x: px(x + 0.22 * dx), y: px(y + 0.22 * dy + 4) }, name),
        ];
      }),
    );
    const long = step * camera.scale;
    const y = camera.height - 16;
    set(this.bar, { d: `M14 ${px(y - 5)}V${px(y)}H${px(14 + long)}V${px(y - 5)}` });
    set(this.barLabel, { x: px(14 + long + 8), y: px(y + 1) });
    this.barLabel.textContent = Number(step.toPrecision(3)).toString();
  }
}
