// Nudges while the motion plays: a point gets a little more velocity, of which the constraints leave what they allow.

import type { Clock } from "../../../appell-report/web/src/clock";
import { html, shown } from "../../../appell-report/web/src/dom";
import type { Stage } from "../../../appell-report/web/src/stage";
import { type V, plus, size } from "../../../appell-report/web/src/vector";
import type { Change } from "./graft";
import type { Hands, Nudged, V3 } from "./parts";

const DIRECTIONS: [string, string, string, number, number][] = [
  ["←", "left", "ArrowLeft", -1, 0],
  ["↑", "up", "ArrowUp", 0, 1],
  ["↓", "down", "ArrowDown", 0, -1],
  ["→", "right", "ArrowRight", 1, 0],
];
const STRENGTHS: [number, string][] = [[0.1, "a tenth"], [0.3, "a third"], [1, "all"]];

export class NudgePad {
  private readonly root: HTMLElement;
  private readonly said = html("p", { class: "nudged", role: "status" });
  private readonly point: HTMLSelectElement;
  private readonly strength: HTMLSelectElement;
  private readonly leave = new AbortController();
  private busy = false;

  constructor(
    private readonly stage: Stage,
    private readonly clock: Clock,
    private readonly hands: Hands,
    /** The motion goes on so from its time on. */
    private readonly taken: (nudged: Nudged, change: Change | null) => void,
    /** What was said of the last nudge. */
    last: string,
  ) {
    const option = (value: string | number, text: string, selected = false) => html("option", { value, selected }, text);
    this.point = html("select", { class: "small", "aria-label": "Which point is nudged" }, ...hands.points.map((name, i) => option(i, name)));
    this.strength = html("select", { class: "small", "aria-label": "How strongly, as a part of the largest speed" }, ...STRENGTHS.map(([part, name]) => option(part, `${name} of its speed`, part === 0.3)));
    const buttons = DIRECTIONS.map(([text, name, key, x, y]) => this.button(text, `Nudge ${name}`, `Shift+${key}`, () => void this.nudge(x, y)));
    const on = this.button("Go on", "Go on at the end, as far again", "", () => void this.onward());
    on.classList.add("onward");
    this.point.hidden = hands.points.length < 2;
    this.root = html("div", { class: "nudges", role: "group", "aria-label": "Nudge while it moves" }, html("span", { class: "nudge-title" }, "Nudge"), this.point, html("div", { class: "steps" }, ...buttons), this.strength, on);
    this.said.textContent = last;
    stage.element.closest(".theatre")?.append(this.root, this.said);
    document.addEventListener("keydown", (event) => this.pressed(event), { signal: this.leave.signal });
  }

  end(): void {
    this.leave.abort();
    this.root.remove();
    this.said.remove();
  }

  private button(text: string, label: string, keys: string, act: () => void): HTMLButtonElement {
    const own = html("button", { type: "button", "aria-label": label, title: keys === "" ? label : `${label} (${keys})`, ...(keys === "" ? {} : { "aria-keyshortcuts": keys }) }, text);
    own.addEventListener("click", act);
    return own;
  }

  private pressed(event: KeyboardEvent): void {
    const own = DIRECTIONS.find(([, , key]) => key === event.key);
    const target = event.target instanceof Element ? event.target : null;
    if (!own || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || target?.closest("input, select, textarea, .grip, .area")) return;
    event.preventDefault();
    event.stopPropagation();
    void this.nudge(own[3], own[4]);
  }

  private async nudge(x: number, y: number): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    const { camera } = this.stage;
    const t = this.clock.now;
    const from = await this.hands.instant(t);
    const point = Number(this.point.value);
    const handle = from?.handles[point];
    if (from && handle) {
      const speed = Math.max(...from.handles.map(({ velocity }) => size(velocity))) || 1;
      const by: V = plus(plus([0, 0, 0], camera.right, x), camera.up, y);
      const velocity = [...plus(handle.velocity, by, Number(this.strength.value) * speed)] as V3;
      const pulled = await this.hands.pull(from, { point, velocity });
      const nudged = pulled && (await this.hands.leg(pulled, this.clock.last));
      if (pulled && nudged && !this.leave.signal.aborted) {
        const [before, after] = pulled.energies;
        const energy = before !== null && after !== null ? ` The energy went from ${shown(from.energy ?? before, 4)} to ${shown(after, 4)}.` : "";
        const lost = pulled.discarded > 1e-9 ? ` The constraints discarded ${shown(pulled.discarded, 3)} of it, in the kinetic metric.` : "";
        const work = before !== null && after !== null ? after - before : null;
        this.taken(nudged, { label: `Nudged at t = ${shown(pulled.t, 4)}.${energy}${lost}`, work });
      } else if (!this.leave.signal.aborted) this.said.textContent = "No motion goes on from there.";
    } else this.said.textContent = "The motion has no state at this instant.";
    this.busy = false;
  }

  /** At the end, as far again. */
  private async onward(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    const { first, last } = this.clock;
    const from = await this.hands.instant(last);
    const nudged = from && (await this.hands.leg({ ...from, t: last }, last + (last - first)));
    if (nudged && !this.leave.signal.aborted) this.taken(nudged, null);
    else if (!this.leave.signal.aborted) this.said.textContent = "The motion does not go on at its end.";
    this.busy = false;
  }
}
