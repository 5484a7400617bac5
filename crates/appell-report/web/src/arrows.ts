// Velocities, forces and couples.

import type { Camera } from "./camera";
import type { Arrow } from "./data";
import { clipped, px, set, shown, svg } from "./dom";
import { type V, between, dot, known, sample, size } from "./vector";

/** The usual length of the longest arrow in pixels, and what no arrow exceeds. */
const LONG = 105;
const LONGEST = 1000;
const HEAD = 11;
/** Shorter ones are not shown. */
const SHORT = 2;

/** The pixels for a unit of each kind of arrow: of the largest that is not exceptional. */
export function scales(arrows: Arrow[], samples: number): Record<Arrow["kind"], number> {
  const scale = (kind: Arrow["kind"]): number => {
    const lengths: number[] = [];
    for (const arrow of arrows.filter((arrow) => arrow.kind === kind)) {
      for (let i = 0; i < samples; i++) {
        const length = size(sample(arrow.vector, i));
        if (Number.isFinite(length)) lengths.push(length);
      }
    }
    lengths.sort((a, b) => a - b);
    const largest = lengths[Math.floor(0.98 * (lengths.length - 1))] ?? 0;
    return largest > 0 ? LONG / largest : 0;
  };
  return { vector: scale("vector"), force: scale("force"), couple: scale("couple") };
}

/** Left, right, top, bottom. */
export type Box = [number, number, number, number];

export class ArrowView {
  private line: [number, number, number, number] | null = null;

  readonly element: SVGGElement;
  private readonly shaft = svg("path", { class: "shaft" });
  private readonly head = svg("path", { class: "head" });
  private readonly title = svg("title");

  constructor(
    readonly arrow: Arrow,
    private unit: number,
    colour: string,
  ) {
    this.element = svg("g", {
      class: `arrow ${arrow.kind} ${colour}`,
      "data-label": clipped(arrow.label, 120),
      "data-kind": arrow.kind,
    });
    this.element.append(this.title, this.shaft, this.head);
  }

  /** Longer or shorter than before. */
  lengthen(by: number): void {
    this.unit *= by;
  }

  /** Whether the reader wants it. */
  shown = true;

  show(on: boolean): void {
    this.shown = on;
    this.element.style.display = on ? "" : "none";
  }

  /** Its pixels along an axis of the screen at a sample. */
  long(index: number, axis: V): number {
    return this.arrow.kind === "couple" ? 0 : this.unit * dot(sample(this.arrow.vector, index), axis);
  }

  /** What it covers, in a few boxes. */
  boxes(): Box[] {
    if (!this.line || !this.shown) return [];
    const [x, y, dx, dy] = this.line;
    return [0.25, 0.5, 0.75, 1].map((part): Box => {
      const [px, py] = [x + part * dx, y + part * dy];
      return [px - 4, px + 4, py - 4, py + 4];
    });
  }

  draw(place: [number, number], camera: Camera): void {
    this.line = null;
    const [at, vector] = [between(this.arrow.at, place), between(this.arrow.vector, place)];
    const seen = known(at) && known(vector);
    const list = (v: V) => v.map((x) => (Number.isFinite(x) ? Number(x.toPrecision(6)) : "null")).join(" ");
    set(this.element, { "data-at": list(at), "data-vector": list(vector) });
    this.title.textContent = `${clipped(this.arrow.label)}: ${shown(size(vector), 5)}`;
    const [x, y] = camera.place(at);
    if (this.arrow.kind === "couple" && camera.plane) {
      this.turn(x, y, this.unit * dot(vector, camera.out), seen);
      return;
    }
    let [dx, dy] = [this.unit * dot(vector, camera.right), -this.unit * dot(vector, camera.up)];
    const length = Math.hypot(dx, dy);
    set(this.element, { visibility: seen && length >= SHORT ? "visible" : "hidden" });
    if (!seen || length < SHORT) return;
    const shorter = Math.min(1, LONGEST / length);
    [dx, dy] = [dx * shorter, dy * shorter];
    this.line = [x, y, dx, dy];
    const [ux, uy] = [(dx / length) / shorter, (dy / length) / shorter];
    const long = length * shorter;
    const head = Math.min(HEAD, 0.6 * long);
    const tip = (back: number): string => {
      const [tx, ty] = [x + dx - back * ux, y + dy - back * uy];
      const side = (by: number) => `${px(tx - head * ux - by * uy)} ${px(ty - head * uy + by * ux)}`;
      return `M${px(tx)} ${px(ty)}L${side(0.42 * head)}L${side(-0.42 * head)}Z`;
    };
    const end = long - 0.8 * head;
    set(this.shaft, { d: `M${px(x)} ${px(y)}L${px(x + end * ux)} ${px(y + end * uy)}` });
    // A couple has two heads.
    set(this.head, { d: this.arrow.kind === "couple" ? tip(0) + tip(0.75 * head) : tip(0) });
  }

  /** A couple about the axis of sight: an arc, the longer the larger. */
  private turn(x: number, y: number, amount: number, seen: boolean): void {
    const [radius, sign] = [24, Math.sign(amount)];
    const angle = Math.min(5.2, (Math.abs(amount) / LONG) * 4.4);
    set(this.element, { visibility: seen && angle * radius > SHORT ? "visible" : "hidden" });
    const on = (a: number): [number, number] => [x + radius * Math.cos(a), y - sign * radius * Math.sin(a)];
    const [from, to] = [on(0.3), on(0.3 + angle)];
    const large = angle > Math.PI ? 1 : 0;
    set(this.shaft, { d: `M${px(from[0])} ${px(from[1])}A${radius} ${radius} 0 ${large} ${sign > 0 ? 0 : 1} ${px(to[0])} ${px(to[1])}` });
    const a = 0.3 + angle;
    const forward = [-Math.sin(a), -sign * Math.cos(a)];
    const out = [Math.cos(a), -sign * Math.sin(a)];
    const corner = (f: number, o: number) => `${px(to[0] + f * forward[0]! + o * out[0]!)} ${px(to[1] + f * forward[1]! + o * out[1]!)}`;
    set(this.head, { d: `M${corner(9, 0)}L${corner(0, 5)}L${corner(0, -5)}Z` });
  }
}
