// The picture of a motion: ground, trails, bodies, names, arrows.

import { ArrowView, type Box, scales } from "./arrows";
import { type Drawn, attitude, drawn, middle, path, reach } from "./bodies";
import { Camera } from "./camera";
import type { Clock } from "./clock";
import type { Scene, Shape, Track } from "./data";
import { clipped, px, set, svg } from "./dom";
import { Ground } from "./ground";
import { type Named, covered, place as put } from "./labels";
import { readable } from "./names";
import { shadow } from "./shadow";
import { type V, between, dot as dot3, known, plus, sample, size, unit } from "./vector";

/** A path longer than this many times what moves on it would leave nothing to see of that. */
const FAR = 12;
/** Pixels beside and above what is drawn: of the axes' numbers and the buttons. */
const MARGIN = [58, 34] as const;
/** The instants at which a view is fitted to a motion. */
const INSTANTS = 120;
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
  private readonly labels: { index: number; element: SVGTextElement; wide: number }[];
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
    this.labels = scene.shapes.flatMap((shape, index) => (shape.label === "" ? [] : [{ index, element: svg("text", { class: "name" }, clipped(shape.label, 24)), wide: 7 * clipped(shape.label, 24).length }]));
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

  /** What is seen at instants of the motion, from `centre` at each: its place along an axis of the screen, how far it reaches there in lengths,
   * and in pixels, which is how long arrows are. */
  private spots(axis: V, screen: "right" | "up", centre: (i: number) => V): [number, number, number][] {
    const { scene, clock } = this;
    const spots: [number, number, number][] = [];
    const add = (x: number, by: number, pixels: number) => Number.isFinite(x) && spots.push([x, by, pixels]);
    const stride = Math.max(1, Math.ceil(clock.times.length / INSTANTS));
    for (let i = 0; i < clock.times.length; i += stride) {
      const from = centre(i);
      const place = (p: V) => dot3(plus(p, from, -1), axis);
      for (const shape of this.follow ? this.moving : scene.shapes) {
        const now = attitude(shape, [i, 0]);
        const across = ["ground", "plate"].includes(shape.shape) ? dot3(now.normal ?? now.e[2], axis) : 0;
        const by = reach(shape) * Math.sqrt(Math.max(0, 1 - across * across));
        for (const track of tracks(shape)) add(place(sample(track, i)), by, 0);
      }
      for (const mark of scene.marks) add(place(sample(mark.at, i)), 0, 0);
      if (!this.follow) for (const trail of scene.trails) add(place(sample(trail.at, i)), 0, 0);
      for (const arrow of this.arrows) if (arrow.shown) add(place(sample(arrow.arrow.at, i)), 0, arrow.long(i, this.camera[screen]));
    }
    return spots;
  }

  /** The most pixels for a unit of length with which everything along an axis stays within `half` a picture; and the middle. */
  private widest(axis: V, screen: "right" | "up", half: number, centre: (i: number) => V): [number, number] {
    const spots = this.spots(axis, screen, centre);
    let [low, high] = [Infinity, -Infinity];
    for (const [x, by] of spots) [low, high] = [Math.min(low, x - by), Math.max(high, x + by)];
    if (!(high - low > 1e-9)) return [Infinity, low <= high ? (low + high) / 2 : 0];
    const middle = this.follow ? 0 : (low + high) / 2;
    let most = Infinity;
    for (const [x, by, pixels] of spots) {
      for (const side of [1, -1]) {
        const [far, beyond] = [side * (x - middle) + by, Math.max(0, side * pixels)];
        // A long arrow may take half of what there is, no more.
        if (far > 1e-9) most = Math.min(most, (half - Math.min(beyond, half / 2)) / far);
      }
    }
    return [most, middle];
  }

  /** Everything fits into a picture of this size. */
  fit(width: number, height: number): void {
    const { camera, bounds } = this;
    [camera.width, camera.height] = [width, height];
    set(this.element, { viewBox: `0 0 ${px(width)} ${px(height)}`, width: px(width), height: px(height) });
    const origin = plus([0, 0, 0], plus(bounds.low, bounds.high), 0.5);
    // What is followed has some of its way around it.
    const part = this.follow ? 0.62 : 1;
    const room = [part * (width / 2 - MARGIN[0]), part * (height / 2 - MARGIN[1])];
    const centre = this.follow ? (i: number) => this.middle([i, 0]) : () => origin;
    const [[wide, x], [high, y]] = [this.widest(camera.right, "right", room[0]!, centre), this.widest(camera.up, "up", room[1]!, centre)];
    if (!this.follow) camera.centre = plus(plus(origin, camera.right, x), camera.up, y);
    const fitting = Math.min(wide, high);
    camera.unit = Number.isFinite(fitting) && size(plus(bounds.high, bounds.low, -1)) > 1e-8 ? fitting : Math.min(room[0]!, room[1]!);
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

  /** Names go where neither arrows nor points nor other names are. */
  private drawMarks(place: [number, number]): void {
    const taken: Box[] = this.arrows.flatMap((arrow) => arrow.boxes());
    const named: Named[] = [];
    for (const { at, axes, lines, dot, label, wide } of this.markViews) {
      const p = between(at, place);
      const seen = known(p);
      for (const element of [lines, dot]) set(element, { visibility: seen ? "visible" : "hidden" });
      set(label, { visibility: seen && this.names ? "visible" : "hidden" });
      if (!seen) continue;
      const [x, y] = this.camera.place(p);
      set(dot, { cx: px(x), cy: px(y) });
      const tips = axes.map((axis) => unit(between(axis, place)));
      const tip = (e: V) => `M${px(x)} ${px(y)}L${px(x + AXIS * dot3(e, this.camera.right))} ${px(y - AXIS * dot3(e, this.camera.up))}`;
      set(lines, { d: tips.map(tip).join("") });
      taken.push([x - 6, x + 6, y - 6, y + 6]);
      if (this.names) named.push({ element: label, x, y, wide });
    }
    for (const { index, element, wide } of this.labels) {
      const { at } = this.bodies[index]!;
      const seen = this.names && known(at);
      set(element, { visibility: seen ? "visible" : "hidden" });
      if (!seen) continue;
      const [x, y] = this.camera.place(at);
      named.push({ element, x, y, wide });
    }
    if (named.length === 0) return;
    const lines = this.scene.shapes.filter(({ points }) => points.length > 1).map(({ points }) => points.map((track) => between(track, place)).filter(known));
    for (const line of lines) taken.push(...covered(line.map((p) => this.camera.place(p))));
    put(named, taken);
  }
}
