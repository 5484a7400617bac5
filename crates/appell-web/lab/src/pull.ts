// Points that can be pulled: their places and their velocities, at any instant at which the motion rests.

import type { Clock } from "../../../appell-report/web/src/clock";
import { html, px, set, shown, svg } from "../../../appell-report/web/src/dom";
import type { Stage } from "../../../appell-report/web/src/stage";
import { type V, dot, plus, size } from "../../../appell-report/web/src/vector";
import type { AllowedSet, Hands, Pull, Pulled, State, V3 } from "./parts";

/** Pixels of the longest velocity. */
const LONG = 90;
/** A velocity shorter than this in pixels has its handle so far from the point. */
const NEAR = 26;
/** Pixels by a press of a key. */
const STEP = 12;
/** How long nothing may be pressed until a state that was moved by keys is taken. */
const REST = 600;
/** After this rest the state of the instant is asked for. */
const QUIET = 60;

const WORDS: Record<AllowedSet["kind"], string> = {
  any: "The constraints allow this point any velocity.",
  point: "The constraints leave this point no choice.",
  line: "The constraints allow velocities along a line (dots).",
  plane: "The constraints allow velocities in a plane (dots).",
  curved: "The constraints allow these velocities (dots).",
};

type Kind = "place" | "velocity";

interface Held {
  point: number;
  kind: Kind;
  /** The state that is pulled. */
  from: State;
  /** Where the pointer took hold, and where it is. */
  first: [number, number];
  last: [number, number];
}

/** What was said of the last pull. */
export interface Told {
  point: number;
  kind: Kind;
  residual: number;
  discarded: number;
  words: string;
}

interface Grip {
  place: SVGCircleElement;
  tip: SVGCircleElement;
  shaft: SVGPathElement;
}

export class PullView {
  private readonly picture = svg("svg", { class: "pulls", role: "group", "aria-label": "Points to be pulled" });
  private readonly ghost = svg("path", { class: "wanted" });
  private readonly lost = svg("path", { class: "lost" });
  private readonly dots = svg("path", { class: "allowed" });
  private readonly words = html("p", { class: "pulled", role: "status" });
  private readonly grips: Grip[];
  private readonly leave = new AbortController();
  private state: State | null = null;
  private held: Held | null = null;
  private set: AllowedSet | null = null;
  private answer: Pulled | null = null;
  private unit = 1;
  private asked = 0;
  private busy = false;
  private again = false;
  private timer = 0;

  constructor(
    private readonly stage: Stage,
    private readonly clock: Clock,
    private readonly hands: Hands,
    last: Told | null,
    /** Hears of each pull that is taken. */
    private readonly taken: (told: Told) => void,
  ) {
    this.grips = hands.points.map((name, point) => this.grip(name, point));
    const all = (pick: (grip: Grip) => SVGElement) => this.grips.map(pick);
    this.picture.append(this.dots, this.ghost, this.lost, ...all(({ shaft }) => shaft), ...all(({ place }) => place), ...all(({ tip }) => tip));
    const view = stage.element.parentElement!;
    view.append(this.picture);
    view.closest(".theatre")?.append(this.words);
    stage.beside = () => this.draw();
    if (last && last.point < this.grips.length) this.tell(last);
    clock.listen(() => this.moved(), this.leave.signal);
    this.moved();
  }

  end(): void {
    this.leave.abort();
    clearTimeout(this.timer);
    this.picture.remove();
    this.words.remove();
    this.stage.beside = () => undefined;
  }

  /** The motion is at another instant: it can be pulled when it rests there. */
  private moved(): void {
    if (this.held) return;
    if (this.state && this.clock.now !== this.state.t) {
      this.state = this.answer = this.set = null;
      this.say("");
      this.draw();
    }
    clearTimeout(this.timer);
    if (this.state || this.clock.runs) return;
    this.timer = window.setTimeout(() => void this.rest(), QUIET);
  }

  private async rest(): Promise<void> {
    const asked = ++this.asked;
    const now = this.clock.now;
    const state = await this.hands.instant(now);
    if (!state || asked !== this.asked || this.leave.signal.aborted || this.clock.runs || this.clock.now !== now || this.held) return;
    // The sample nearest to the instant: half a frame away.
    this.state = { ...state, t: now };
    this.instant = state;
    const fastest = Math.max(...state.handles.map(({ velocity }) => size(velocity)), 0);
    this.unit = fastest > 0 ? LONG / fastest : LONG;
    this.draw();
  }
  /** The same at its own time. */
  private instant: State | null = null;

  private grip(name: string, point: number): Grip {
    const circle = (kind: Kind, label: string, radius: number) => {
      const own = { class: `grip ${kind}`, r: radius, tabindex: 0, role: "button", "aria-label": `${label} of ${name}: pull it, or press the arrow keys`, [`data-${kind}`]: name };
      const element = svg("circle", own);
      element.append(svg("title", {}, `${label} of ${name}`));
      this.listen(element, point, kind);
      return element;
    };
    return { place: circle("place", "Place", 10), tip: circle("velocity", "Velocity", 8), shaft: svg("path", { class: "rate" }) };
  }

  private listen(element: SVGCircleElement, point: number, kind: Kind): void {
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.instant) return;
      event.stopPropagation();
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
      this.take(point, kind, [event.clientX, event.clientY]);
    });
    element.addEventListener("pointermove", (event) => {
      if (!this.held || !element.hasPointerCapture(event.pointerId)) return;
      event.stopPropagation();
      this.held.last = [event.clientX, event.clientY];
      void this.follow();
    });
    for (const end of ["pointerup", "pointercancel"] as const) {
      element.addEventListener(end, (event) => {
        event.stopPropagation();
        if (this.held) void this.release(end === "pointerup");
      });
    }
    // Fingers on a handle neither scroll nor turn.
    for (const name of ["touchstart", "touchmove"] as const) element.addEventListener(name, (event) => (event.preventDefault(), event.stopPropagation()), { passive: false });
    element.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key];
      if (!by || !this.instant) return;
      event.preventDefault();
      event.stopPropagation();
      if (!this.held) this.take(point, kind, [0, 0]);
      this.held!.last = [this.held!.last[0] + by[0]!, this.held!.last[1] + by[1]!];
      void this.follow();
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.release(true), REST);
    });
  }

  private take(point: number, kind: Kind, at: [number, number]): void {
    this.held = { point, kind, from: this.instant!, first: at, last: at };
    this.picture.classList.add("holding");
    if (kind === "velocity") void this.ask(point);
  }

  /** The velocities that are allowed here. */
  private async ask(point: number): Promise<void> {
    const { from } = this.held!;
    const speed = Math.max(size(from.handles[point]!.velocity), LONG / this.unit / 2) * 1.4;
    const found = await this.hands.allowed(from, point, speed, this.stage.camera.plane);
    if (!this.held || this.leave.signal.aborted) return;
    this.set = found;
    this.say(found ? WORDS[found.kind] : "");
    this.draw();
  }

  /** What the pointer pulls to. */
  private wanted({ point, kind, from, first, last }: Held): V3 {
    const { camera } = this.stage;
    const scale = (kind === "place" ? camera.scale : this.unit) * this.ratio;
    const [dx, dy] = [(last[0] - first[0]) / scale, (first[1] - last[1]) / scale];
    const { at, velocity } = from.handles[point]!;
    const begun = kind === "place" ? at : velocity;
    return [...plus(plus(begun, camera.right, dx), camera.up, dy)] as V3;
  }

  /** Pixels of the screen for one of the picture. */
  private get ratio(): number {
    return this.stage.element.clientWidth / this.stage.camera.width || 1;
  }

  /** Asks for the state that follows the pointer, one question at a time. */
  private async follow(): Promise<void> {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    do {
      this.again = false;
      const held = this.held;
      if (!held) break;
      const pull: Pull = { point: held.point, [held.kind]: this.wanted(held) };
      const answer = await this.hands.pull(held.from, pull);
      if (!this.held || this.leave.signal.aborted) break;
      if (answer) {
        this.answer = answer;
        this.tell(this.told(held, answer));
        this.draw();
      }
    } while (this.again);
    this.busy = false;
  }

  private told({ point, kind }: Held, { residual, discarded }: Pulled): Told {
    const lost = discarded > 1e-9 ? `Discarded (red): ${shown(discarded, 3)}, in the kinetic metric.` : "Nothing is discarded.";
    const words = kind === "place" ? "" : `${this.set ? WORDS[this.set.kind] : ""} ${lost}`.trim();
    return { point, kind, residual, discarded, words };
  }

  private tell({ point, kind, residual, discarded, words }: Told): void {
    const grip = this.grips[point]!;
    set(kind === "place" ? grip.place : grip.tip, { "data-residual": residual, "data-discarded": discarded });
    this.say(words);
  }

  private async release(taken: boolean): Promise<void> {
    while (this.busy) await new Promise((done) => setTimeout(done, 5));
    const { answer, held } = this;
    if (taken && answer && held) this.taken(this.told(held, answer));
    this.held = this.set = null;
    this.picture.classList.remove("holding");
    if (taken && answer) this.hands.begin(answer);
    else this.answer = null;
    this.draw();
  }

  private say(text: string): void {
    if (this.words.textContent !== text) this.words.textContent = text;
  }

  private draw(): void {
    const { camera } = this.stage;
    set(this.picture, { viewBox: `0 0 ${px(camera.width)} ${px(camera.height)}`, visibility: this.state ? "visible" : "hidden" });
    const state = this.answer ?? this.state;
    if (!state) return;
    const flat = (v: V): [number, number] => [this.unit * dot(v, camera.right), -this.unit * dot(v, camera.up)];
    state.handles.forEach(({ at, velocity }, point) => {
      const { place, tip, shaft } = this.grips[point]!;
      const [x, y] = camera.place(at);
      const [dx, dy] = flat(velocity);
      const long = Math.hypot(dx, dy);
      // A velocity too short to be taken hold of has its handle beside the point.
      const [hx, hy] = long >= NEAR ? [dx, dy] : long > 1 ? [(NEAR / long) * dx, (NEAR / long) * dy] : [NEAR, 0];
      set(place, { cx: px(x), cy: px(y) });
      set(tip, { cx: px(x + hx), cy: px(y + hy) });
      set(shaft, { d: `M${px(x)} ${px(y)}L${px(x + dx)} ${px(y + dy)}` });
    });
    this.drawHeld(state, flat);
  }

  private drawHeld(state: State, flat: (v: V) => [number, number]): void {
    const held = this.held;
    for (const path of [this.ghost, this.lost, this.dots]) set(path, { visibility: held?.kind === "velocity" ? "visible" : "hidden" });
    if (held?.kind !== "velocity") return;
    const { at, velocity } = state.handles[held.point]!;
    const [x, y] = this.stage.camera.place(at);
    const end = (v: V) => flat(v).map((d, i) => px(d + [x, y][i]!)).join(" ");
    const wanted = this.wanted(held);
    set(this.ghost, { d: `M${px(x)} ${px(y)}L${end(wanted)}` });
    set(this.lost, { d: `M${end(velocity)}L${end(wanted)}` });
    set(this.dots, { d: (this.set?.velocities ?? []).map((v) => `M${end(v)}h0`).join("") });
  }
}
