// The picture of a motion: ground, trails, bodies, names, arrows.

import { ArrowView, type Box, scales } from "./arrows";
import { type Drawn, attitude, drawn, middle, path, reach } from "./bodies";
import { Camera } from "./camera";
import type { Clock } from "./clock";
import type { Scene, Shape, Track } from "./data";
import { clipped, px, set, svg } from "./dom";
import { Ground } from "./ground";
import { readable } from "./names";
import { shadow } from "./shadow";
import { type V, between, dot as dot3, known, plus, sample, size, unit } from "./vector";

/** A path longer than this many times what moves on it would leave nothing to see of that. */
const FAR = 12;
const MARGIN = 76;
/** The axes of a body without a shape, in pixels. */
const AXIS = 26;

/** The class of the colour of a toggle's arrows. */
export const colour = (scene: Scene, toggle: number): string => `s${scene.toggles[toggle]?.hue ?? 0}`;

/** Where a shape is: its centre, or its points. */
const tracks = (shape: Shape): Track[] => (shape.at ? [shape.at] : shape.points);

interface Bounds {
  low: [number, number, number];
  high: [number, number, number];
}

export class Stage {
  readonly element = svg("svg", { class: "stage", role: "img" });
  readonly camera: Camera;
  readonly arrows: ArrowView[];
  follow: boolean;
  trails = true;
  names = true;
  /** What else is drawn whenever the picture is. */
  beside: () => void = () => undefined;
  /** Shapes that do not stand where they are. */
  private readonly moving: Shape[];
  private readonly bounds: Bounds;
  /** How far things reach from where the view follows them. */
  private readonly near: number;
  private readonly level: number | null;
  private readonly ground: Ground;
  private readonly bodies: Drawn[];
  private readonly shadows: SVGPathElement[];
  private readonly bodyLayer = svg("g");
  /** What lies under trails and shadows. */
  private readonly underLayer = svg("g");
  private readonly trailViews: { at: Track; ways: number[]; whole: SVGPathElement; gone: SVGPathElement; head: SVGCircleElement }[];
  /** From where paths are laid out, and for which view they are. */
  private readonly origin: V;
  private laid = "";
  private readonly labels: { index: number; element: SVGTextElement }[];
  private readonly markViews: {
    at: Track;
    axes: Track[];
    lines: SVGPathElement;
    dot: SVGCircleElement;
    label: SVGTextElement;
    wide: number;
  }[];

  constructor(
    private readonly scene: Scene,
    private readonly clock: Clock,
  ) {
    this.camera = new Camera(scene.plane, scene.up);
    const moves = (shape: Shape) => shape.shape !== "ground" && tracks(shape).some((at) => at.some((x, i) => x !== at[i % 3]));
    const moving = scene.shapes.filter(moves);
    this.moving = moving.length > 0 ? moving : scene.shapes;
    this.bounds = this.extent();
    this.origin = plus([0, 0, 0], plus(this.bounds.low, this.bounds.high), 0.5);
    this.near = this.nearness();
    const extent = size(plus(this.bounds.high, this.bounds.low, -1));
    const stands = scene.shapes.some(({ shape }) => shape === "ground");
    // What stands still, a wall or a table, is to be seen.
    this.follow = moving.length > 0 && moving.length === scene.shapes.length && extent > FAR * this.near;
    this.level = this.floor();
    this.ground = new Ground(stands ? null : this.level);
    this.shadows = scene.shapes.map(() => svg("path", { class: "shadow" }));
    this.bodies = scene.shapes.map(drawn);
    this.underLayer.append(...this.bodies.filter(({ under }) => under).map((body) => body.element));
    this.bodyLayer.append(...this.bodies.filter(({ under }) => !under).map((body) => body.element));
    this.trailViews = scene.trails.map(({ name, hue, at }) => {
      const [whole, gone] = [svg("path", { class: `trail whole s${hue}` }), svg("path", { class: `trail s${hue}` })];
      whole.append(svg("title", {}, clipped(name)));
      return { at, ways: [], whole, gone, head: svg("circle", { class: `trail-head s${hue}`, r: 3 }) };
    });
    this.markViews = scene.marks.map(({ name, axes, at }) => {
      const label = clipped(readable(name), 16);
      return {
        at,
        axes: axes ?? [],
        lines: svg("path", { class: "body-axes" }),
        dot: svg("circle", { class: axes ? "centre" : "particle", r: axes ? 3.5 : 6 }),
        label: svg("text", { class: "name" }, label),
        wide: 8 * label.length,
      };
    });
    this.labels = scene.shapes.flatMap((shape, index) => (shape.label === "" ? [] : [{ index, element: svg("text", { class: "name" }, clipped(shape.label, 24)) }]));
    const lengths = scales(scene.arrows, clock.times.length);
    const scale = (kind: "vector" | "force" | "couple") => lengths[kind] * (kind === "vector" ? 1 : scene.force_scale);
    this.arrows = scene.arrows.map((arrow) => new ArrowView(arrow, scale(arrow.kind), colour(scene, arrow.toggle)));
    const layer = (kind: string, children: Element[]) => svg("g", { class: kind }, ...children);
    this.element.append(
      this.ground.element,
      this.underLayer,
      layer("shadows", this.shadows),
      layer("trails", this.trailViews.flatMap(({ whole, gone, head }) => [whole, gone, head])),
      this.bodyLayer,
      layer("axes", this.markViews.map(({ lines }) => lines)),
      layer("marks", this.markViews.map(({ dot }) => dot)),
      layer("arrows", this.arrows.map((arrow) => arrow.element)),
      layer("names", [...this.markViews.map(({ label }) => label), ...this.labels.map(({ element }) => element)]),
    );
  }

  /** Forces and couples longer or shorter than before. */
  lengthen(by: number): void {
    for (const view of this.arrows) if (view.arrow.kind !== "vector") view.lengthen(by);
  }

  /** Everything that is drawn at any time; places of marks and bodies with their reach. */
  private extent(): Bounds {
    const [low, high]: [number, number, number][] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    const include = (at: Track, by: number, flat: V | null = null) => {
      for (let i = 0; 3 * i < at.length; i++) {
        const p = sample(at, i);
        if (!known(p)) continue;
        for (let k = 0; k < 3; k++) {
          // A plane does not reach across itself.
          const own = flat ? by * Math.sqrt(Math.max(0, 1 - flat[k]! ** 2)) : by;
          low![k] = Math.min(low![k]!, p[k]! - own);
          high![k] = Math.max(high![k]!, p[k]! + own);
        }
      }
    };
    for (const trail of this.scene.trails) include(trail.at, 0);
    for (const mark of this.scene.marks) include(mark.at, 0);
    for (const shape of this.scene.shapes) {
      const now = attitude(shape, [0, 0]);
      const flat = ["ground", "plate"].includes(shape.shape) ? (now.normal ?? now.e[2]) : null;
      for (const track of tracks(shape)) include(track, reach(shape), flat);
    }
    const empty = !(low![0]! <= high![0]!);
    return empty ? { low: [-1, -1, -1], high: [1, 1, 1] } : { low: low!, high: high! };
  }

  /** The middle of what moves. */
  private middle(place: [number, number]): V {
    const things = [...this.moving.flatMap(tracks), ...this.scene.marks.map((mark) => mark.at)];
    return middle(things.map((at) => between(at, place)).filter(known));
  }

  private nearness(): number {
    let near = 1e-9;
    const things = [
      ...this.moving.flatMap((shape) => tracks(shape).map((at) => ({ at, by: reach(shape) }))),
      ...this.scene.marks.map((mark) => ({ at: mark.at, by: 0 })),
    ];
    for (let i = 0; i < this.clock.times.length; i += 7) {
      const middle = this.middle([i, 0]);
      for (const { at, by } of things) {
        const distance = size(plus(sample(at, i), middle, -1)) + by;
        if (Number.isFinite(distance)) near = Math.max(near, distance);
      }
    }
    return near;
  }

  /** The height of the floor: 0 where all moves above it, else below everything; in a plane none. */
  private floor(): number | null {
    if (this.scene.plane) return null;
    const up = this.camera.frame[2];
    const own = this.scene.shapes.find((shape) => shape.shape === "ground");
    if (own) {
      // Only a level ground that stands still takes shadows.
      const now = attitude(own, [0, 0]);
      const height = dot3(now.at, up);
      const still = tracks(own).every((at) => at.every((x, i) => i % 3 !== up.findIndex((x) => x !== 0) || x === at[i % 3]));
      return still && Math.abs(dot3(now.normal ?? now.e[2], up)) > 0.9999 && Number.isFinite(height) ? height : null;
    }
    const lowest = (list: Track[]) => {
      let low = Infinity;
      for (const track of list) {
        for (let i = 0; 3 * i < track.length; i++) {
          const height = dot3(sample(track, i), up);
          if (height < low) low = height;
        }
      }
      return low;
    };
    const centres = lowest([...this.scene.shapes.flatMap(tracks), ...this.scene.marks.map((mark) => mark.at)]);
    const trails = lowest(this.scene.trails.map((trail) => trail.at));
    const extent = size(plus(this.bounds.high, this.bounds.low, -1));
    const above = centres > 1e-3 * this.near && trails > -1e-6 * extent && Math.min(centres, trails) < extent;
    return above ? 0 : Math.min(dot3(this.bounds.low, up), dot3(this.bounds.high, up));
  }

  /** Everything fits into a picture of this size. */
  fit(width: number, height: number): void {
    const { camera, bounds } = this;
    [camera.width, camera.height] = [width, height];
    set(this.element, { viewBox: `0 0 ${px(width)} ${px(height)}`, width: px(width), height: px(height) });
    const room = [Math.max(0.66 * width, width - 2 * MARGIN), Math.max(0.66 * height, height - 2 * MARGIN)];
    const middle = plus([0, 0, 0], plus(bounds.low, bounds.high), 0.5);
    if (this.follow) {
      camera.unit = Math.min(room[0]!, room[1]!) / (2.6 * this.near);
      return;
    }
    camera.centre = middle;
    const half: V = [0, 1, 2].map((k) => (bounds.high[k]! - bounds.low[k]!) / 2) as unknown as V;
    // What a box of this size covers on the screen.
    const cover = (axis: V) => 2 * [0, 1, 2].reduce((sum, k) => sum + Math.abs(axis[k]!) * half[k]!, 0);
    const widths = [cover(camera.right), cover(camera.up)].map((wide) => Math.max(wide, 1e-9));
    const fitting = Math.min(room[0]! / widths[0]!, room[1]! / widths[1]!);
    const still = size(half) < 1e-8;
    camera.unit = still ? Math.min(room[0]!, room[1]!) / 2 : fitting;
  }

  draw(): void {
    const { camera, clock } = this;
    const place = clock.place();
    if (this.follow) camera.centre = this.middle(place);
    this.ground.draw(camera);
    this.drawShadows(place);
    this.drawTrails(place);
    for (const body of this.bodies) body.draw(place, camera);
    this.sort();
    for (const arrow of this.arrows) arrow.draw(place, camera);
    this.drawMarks(place);
    this.beside();
  }

  /** What each body covers on the floor. */
  private drawShadows(place: [number, number]): void {
    const { level, camera } = this;
    const up = camera.frame[2];
    const drop = (p: V) => camera.place(plus(p, up, level! - dot3(p, up)));
    this.shadows.forEach((element, i) => {
      const shape = this.scene.shapes[i]!;
      const now = attitude(shape, place);
      const shows = level !== null && known(now.at) && camera.pitch > 0;
      set(element, { d: shows ? path(shadow(shape, now, up, drop), true) : "" });
    });
  }

  /** The farthest first. */
  private sort(): void {
    const order = this.bodies.filter(({ under }) => !under).sort((a, b) => this.camera.depth(a.at) - this.camera.depth(b.at));
    const stands = order.every((body, i) => this.bodyLayer.children[i] === body.element);
    if (!stands) this.bodyLayer.append(...order.map((body) => body.element));
  }

  /** A path is laid out anew only when the view turns or zooms: else it is moved, and its part that is gone
   * is a dash as long as the way so far. */
  private drawTrails([index, part]: [number, number]): void {
    const { camera } = this;
    const view = [camera.right, camera.up, camera.scale].join(" ");
    const [dx, dy] = camera.place(this.origin);
    const turned = view !== this.laid;
    this.laid = view;
    for (const trail of this.trailViews) {
      const { at, whole, gone, head } = trail;
      for (const element of [whole, gone, head]) element.style.display = this.trails ? "" : "none";
      if (turned) {
        const flat = (p: V): [number, number] => [camera.scale * dot3(plus(p, this.origin, -1), camera.right), -camera.scale * dot3(plus(p, this.origin, -1), camera.up)];
        const points: [number, number][] = [];
        trail.ways = [];
        let way = 0;
        for (let i = 0; 3 * i < at.length; i++) {
          const p = sample(at, i);
          if (known(p)) {
            const next = flat(p).map((x) => Math.round(10 * x) / 10) as [number, number];
            const last = points[points.length - 1];
            if (last) way += Math.hypot(next[0] - last[0], next[1] - last[1]);
            points.push(next);
          }
          trail.ways.push(way);
        }
        const d = path(points, false);
        set(whole, { d });
        set(gone, { d });
      }
      for (const element of [whole, gone]) set(element, { transform: `translate(${px(dx)} ${px(dy)})` });
      const now = between(at, [index, part]);
      const here = known(now) ? camera.place(now) : null;
      const [from, to] = [trail.ways[index] ?? 0, trail.ways[index + 1] ?? trail.ways[index] ?? 0];
      set(gone, { "stroke-dasharray": `${px(from + part * (to - from))} 1e7` });
      set(head, { visibility: here ? "visible" : "hidden" });
      if (here) set(head, { cx: px(here[0]), cy: px(here[1]) });
    }
  }

  /** Names go where neither arrows nor other names are. */
  private drawMarks(place: [number, number]): void {
    const taken: Box[] = this.arrows.flatMap((arrow) => arrow.boxes());
    for (const { at, axes, lines, dot, label, wide } of this.markViews) {
      const p = between(at, place);
      const seen = known(p);
      for (const element of [lines, dot, label]) set(element, { visibility: seen ? "visible" : "hidden" });
      label.style.display = this.names ? "" : "none";
      if (!seen) continue;
      const [x, y] = this.camera.place(p);
      set(dot, { cx: px(x), cy: px(y) });
      const tips = axes.map((axis) => unit(between(axis, place)));
      const tip = (e: V) => `M${px(x)} ${px(y)}L${px(x + AXIS * dot3(e, this.camera.right))} ${px(y - AXIS * dot3(e, this.camera.up))}`;
      set(lines, { d: tips.map(tip).join("") });
      const corners: [number, number][] = [[10, -9], [-10 - wide, -9], [10, 19], [-10 - wide, 19], [-wide / 2, -14], [-wide / 2, 24]];
      const free = corners.find(([dx, dy]) =>
        taken.every(([left, right, top, bottom]) => x + dx > right || x + dx + wide < left || y + dy - 12 > bottom || y + dy + 3 < top),
      );
      const [dx, dy] = free ?? corners[0]!;
      taken.push([x + dx, x + dx + wide, y + dy - 12, y + dy + 3]);
      set(label, { x: px(x + dx), y: px(y + dy) });
    }
    for (const { index, element } of this.labels) {
      const { at } = this.bodies[index]!;
      element.style.display = this.names ? "" : "none";
      const [x, y] = this.camera.place(at);
      set(element, { x: px(x + 10), y: px(y - 9), visibility: known(at) ? "visible" : "hidden" });
    }
  }
}
