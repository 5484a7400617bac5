// The page in the lab's frame: that of a report, shown part by part, with points that can be pulled.

import { address, standAlone } from "../../../appell-report/web/src/address";
import type { Data } from "../../../appell-report/web/src/data";
import { html } from "../../../appell-report/web/src/dom";
import { type Living, equations, motion, sceneOf } from "../../../appell-report/web/src/live";
import { scrollers, watchAll } from "../../../appell-report/web/src/scrollers";
import { type Change, grafted } from "./graft";
import { NudgePad } from "./nudge";
import { PullView, type Told } from "./pull";
import type { Hands, Nudged, Page, Part } from "./parts";
import { type Since, tell } from "./since";

/** The order of the sections, whichever comes first. */
const ORDER = ["motion", "plots", "equations", "claims", "proof", "model", "about"];

/** The content of a section, written by the engine. */
function nodes(content: string): Node[] {
  const parsed = new DOMParser().parseFromString(content, "text/html");
  return [...parsed.body.childNodes].map((node) => document.adoptNode(node));
}

/** What the reader has set, to be set again. */
interface Kept {
  time: number;
  plays: boolean;
  view: [number, number, number];
  boxes: Map<string, boolean>;
}

class Shown implements Page {
  private readonly main = document.querySelector("main")!;
  private header = "";
  private readonly contents = new Map<string, string>();
  private moving = "";
  private late = "";
  private leave = new AbortController();
  private living: Living | null = null;
  private hands: Hands | null = null;
  private pulls: PullView | null = null;
  private pad: NudgePad | null = null;
  private nudged = "";
  private known: Data | null = null;
  /** The model's own motion, and what changed it by hand last. */
  private own: Data | null = null;
  private since: Since | null = null;
  /** The next motion starts where a point was pulled. */
  private pulledAway = false;
  private told: Told | null = null;
  private heard: (t: number) => void = () => undefined;
  private renewed: () => void = () => undefined;
  private timed = false;
  private chosen = "";

  show(part: Part, whole: boolean): void {
    const data = JSON.parse(part.data) as Data;
    // Formulas that wait come last.
    const moving = part.data.slice(0, part.data.lastIndexOf('"late":'));
    const kept = this.kept();
    if (this.since) this.asWritten();
    this.setHeader(part.header);
    const changed = new Set(part.sections.filter(({ id, title, content }) => this.setSection(id, title, content)).map(({ id }) => id));
    const told = new Set(part.sections.map(({ id }) => id));
    for (const id of [...this.contents.keys()].filter((id) => !told.has(id))) {
      if (whole) this.drop(id);
      else document.getElementById(id)?.classList.add("stale");
    }
    if (data.times.length > 0 && (moving !== this.moving || changed.has("motion") || changed.has("plots"))) {
      this.moving = moving;
      [this.nudged, this.own, this.since] = ["", data, null];
      this.move(data, kept);
    }
    if (changed.has("equations") || (data.late !== this.late && told.has("equations"))) {
      this.late = data.late;
      this.setEquations(part, changed.has("equations"));
    }
    for (const id of changed) watchAll(document.getElementById(id)!);
    if (this.since) tell(this.since, nodes);
    this.links(part);
    if (document.documentElement.dataset["embed"]) standAlone(address());
    document.getElementById("data")!.textContent = part.data;
  }

  /** Another motion in the place of the one that is shown. */
  private move(data: Data, kept: Kept | null): void {
    this.leave.abort();
    this.leave = new AbortController();
    this.known = data;
    this.living = motion(data, this.leave.signal);
    const { clock } = this.living;
    clock.listen(() => this.timed || this.heard(clock.now), this.leave.signal);
    this.restore(kept);
    this.pulled();
  }

  /** From its time on the motion is another. */
  private graft(nudged: Nudged, change: Change | null): void {
    if (!this.known) return;
    const { t } = nudged;
    const [before, after] = [this.known, JSON.parse(nudged.data) as Data].map((own) => ({ ...own, scene: sceneOf(own) })) as [Data, Data];
    const whole = grafted(before, after, t, nudged.above, change);
    this.nudged = change?.label ?? this.nudged;
    const kept = this.kept();
    this.move(whole, kept && { ...kept, time: t });
    this.since = { ...nudged, nudged: change !== null };
    tell(this.since, nodes);
    this.renewed();
  }

  /** What is said of the motion is what the engine wrote of the model's own. */
  private asWritten(): void {
    document.querySelector("header")!.replaceWith(...nodes(this.header));
    for (const id of ["claims", "about"]) {
      const section = document.getElementById(id);
      section?.replaceChildren(section.querySelector("h2")!, ...nodes(this.contents.get(id) ?? ""));
      if (section) watchAll(section);
    }
  }

  changed(heard: () => void): void {
    this.renewed = heard;
  }

  data(): Data | null {
    return this.known;
  }

  forget(): void {
    this.pulls?.end();
    this.pad?.end();
    [this.pulls, this.pad, this.pulledAway, this.told, this.known, this.nudged] = [null, null, false, null, null, ""];
    [this.own, this.since] = [null, null];
    for (const id of [...this.contents.keys()]) this.drop(id);
    this.leave.abort();
    [this.living, this.moving, this.late, this.header] = [null, "", "", ""];
    document.querySelector("header")!.replaceChildren();
    scrollTo({ top: 0, behavior: "instant" });
  }

  hold(hands: Hands | null): void {
    this.hands = hands;
    // The model was looked at anew: its motion is its own again.
    if (this.since && this.own) {
      this.asWritten();
      [this.nudged, this.since] = ["", null];
      this.move(this.own, this.kept());
      this.renewed();
    } else this.pulled();
  }

  theme(dark: boolean): void {
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  }

  now(): number | null {
    return this.living?.clock.now ?? null;
  }

  rewind(): void {
    this.pulledAway = true;
  }

  time(t: number): void {
    const clock = this.living?.clock;
    if (!clock || clock.now === t) return;
    // Who tells the time need not hear it.
    this.timed = true;
    clock.set(t);
    this.timed = false;
  }

  listen(heard: (t: number) => void): void {
    this.heard = heard;
  }

  beside(on: boolean): void {
    document.documentElement.classList.toggle("beside", on);
  }

  alone(): void {
    document.documentElement.dataset["embed"] = "motion";
    document.documentElement.classList.add("embedded");
  }

  /** The handles of the motion that is shown. */
  private pulled(): void {
    this.pulls?.end();
    this.pad?.end();
    this.pulls = this.pad = null;
    if (!this.living?.stage || !this.hands || this.hands.points.length === 0) return;
    this.pulls = new PullView(this.living.stage, this.living.clock, this.hands, this.told, (told) => {
      this.pulledAway = true;
      this.told = told;
    });
    this.pad = new NudgePad(this.living.stage, this.living.clock, this.hands, (nudged, label) => this.graft(nudged, label), this.nudged);
  }

  private setHeader(text: string): void {
    if (text === this.header) return;
    this.header = text;
    document.querySelector("header")!.replaceWith(...nodes(text));
  }

  /** Whether it is new. */
  private setSection(id: string, title: string, content: string): boolean {
    const before = document.getElementById(id);
    before?.classList.remove("stale");
    if (this.contents.get(id) === content) return false;
    this.contents.set(id, content);
    const heading = html("h2", { id: `${id}-title` }, title);
    const section = html("section", { id, "aria-labelledby": `${id}-title` }, heading, ...nodes(content));
    const open = [...(before?.querySelectorAll("details[open] > summary") ?? [])].map((summary) => summary.textContent ?? "");
    for (const details of section.querySelectorAll("details")) if (open.includes(details.querySelector("summary")?.textContent ?? "none")) details.open = true;
    if (before) before.replaceWith(section);
    else {
      const later = ORDER.slice(ORDER.indexOf(id) + 1).map((id) => document.getElementById(id));
      this.main.insertBefore(section, later.find((section) => section) ?? null);
    }
    return true;
  }

  private drop(id: string): void {
    document.getElementById(id)?.remove();
    this.contents.delete(id);
  }

  /** Tabs, with the one chosen before; `made` anew. */
  private setEquations(part: Part, made: boolean): void {
    const section = document.getElementById("equations")!;
    const chosen = this.chosen;
    if (!made) {
      // Only what waits has changed: the tabs are made again with it.
      const { content } = part.sections.find(({ id }) => id === "equations")!;
      section.replaceChildren(html("h2", { id: "equations-title" }, "Equations"), ...nodes(content));
    }
    equations(this.late);
    for (const tab of section.querySelectorAll<HTMLElement>("[role=tab]")) {
      tab.dataset["form"] = tab.id.replace("tab-form-", "");
      tab.addEventListener("click", () => (this.chosen = tab.id));
      if (tab.id === chosen) tab.click();
    }
  }

  private links(part: Part): void {
    const links = part.sections.map(({ id, title }) => html("a", { href: `#${id}` }, title));
    document.querySelector("nav")!.replaceChildren(...links);
  }

  private boxes(): HTMLInputElement[] {
    return [...document.querySelectorAll<HTMLInputElement>(".panel input[type=checkbox]")];
  }

  private kept(): Kept | null {
    if (!this.living) return null;
    const { clock, stage } = this.living;
    const { yaw, pitch, zoom } = stage?.camera ?? { yaw: 0, pitch: 0, zoom: 1 };
    const boxes = this.boxes().map((box): [string, boolean] => [box.closest("label")?.textContent ?? "", box.checked]);
    return { time: clock.now, plays: clock.runs, view: [yaw, pitch, zoom], boxes: new Map(boxes) };
  }

  private restore(kept: Kept | null): void {
    if (!kept || !this.living) return;
    const { clock, stage } = this.living;
    if (stage) {
      [stage.camera.yaw, stage.camera.pitch, stage.camera.zoom] = kept.view;
      stage.camera.turn();
    }
    for (const box of this.boxes()) {
      const before = kept.boxes.get(box.closest("label")?.textContent ?? "");
      if (before !== undefined && before !== box.checked && !box.disabled) box.click();
    }
    clock.set(this.pulledAway ? clock.first : kept.time);
    this.pulledAway = false;
    if (kept.plays) document.querySelector<HTMLElement>(".play")?.click();
  }
}

window.page = new Shown();
scrollers(document);
