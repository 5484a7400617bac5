// The lab: a model's text on the left; its equations, proofs, motion and plots on the right.

import { copied } from "../../../appell-report/web/src/clipboard";
import { shown } from "../../../appell-report/web/src/dom";
import { inflating } from "../../../appell-report/web/src/packed";
import { saved } from "../../../appell-report/web/src/pictures";
import { Compare, page } from "./compare";
import { Editor } from "./editor";
import { Engine, type Problem, type Question, Refused, Superseded } from "./engine";
import { Looks } from "./looks";
import type { AllowedSet, Hands, Page, Part, Pulled, Start, State } from "./parts";
import { addressOf, isEmbedded, read } from "./share";
import { type Parameter, sliders } from "./sliders";
import { equations, fields } from "./start";

interface Entry {
  name: string;
  title: string;
  text: string;
}
interface Opened {
  model: { title: string; parameters: Parameter[]; inputs?: Parameter[] };
  /** Of the parameters, then of the inputs. */
  ranges: [number | null, number | null][];
  warnings: Problem[];
}

/** Rests of typing, and before proofs begin while something is moved, in milliseconds. */
const TYPING = 120;
const REST = 300;
const FIRST = "perpendicular";

const by = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const said = (why: unknown): string => (why instanceof Error ? why.message : String(why));

class Lab {
  private parameters = new Map<string, number>();
  private timer = 0;
  private editor: Editor;
  private readonly looks = new Looks(() => this.look(), () => this.engine.drop());
  /** The text that was read last. */
  private text: string | null = null;
  private start: Start | null = null;
  private named = "";
  private title = "";
  /** What is shown. */
  private part: Part | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly page: Page,
    private readonly gallery: Entry[],
    { keys, energies, languages }: { keys: string[]; energies: string[]; languages: string[] },
  ) {
    this.editor = new Editor(by("editor"), () => this.later(), [...keys, ...energies]);
    const choice = by<HTMLSelectElement>("gallery");
    choice.append(...gallery.map(({ name, title }) => new Option(title, name)));
    choice.addEventListener("change", () => {
      location.hash = `gallery/${choice.value}`;
    });
    const language = by<HTMLSelectElement>("language");
    language.append(...languages.map((id) => new Option(id, id)));
    language.addEventListener("change", () => void this.code());
    by("code").addEventListener("toggle", () => void this.code());
    by("share").addEventListener("click", () => void this.share());
    by("save").addEventListener("click", () => saved(`${this.file}.toml`, new Blob([this.editor.text], { type: "application/toml" })));
    by("report").addEventListener("click", () => void this.report());
    by("go-on").addEventListener("click", () => void this.goOn());
    addEventListener("hashchange", () => void this.arrive());
  }

  /** The model of the address, or the one to begin with. */
  async arrive(): Promise<void> {
    const texts = new Map(this.gallery.map(({ name, text }) => [name, text]));
    try {
      const shared = (await read(location.hash, texts)) ?? { text: texts.get(FIRST) ?? "", parameters: {} };
      this.open(shared.text, shared.parameters);
    } catch (why) {
      this.fail(why);
    }
  }

  /** Another model. */
  open(text: string, parameters: Record<string, number> = {}): void {
    this.parameters = new Map(Object.entries(parameters));
    this.editor.text = text;
    this.named = this.gallery.find((entry) => entry.text === text)?.name ?? "";
    by<HTMLSelectElement>("gallery").value = this.named;
    this.page.forget();
    this.page.hold(null);
    this.text = null;
    this.looks.ask();
  }

  /** What is shown now, for comparison. */
  get shown(): { part: Part | null; name: string } {
    const values = [...this.parameters].map(([name, value]) => `${name} = ${value}`);
    return { part: this.part, name: [this.title, ...values].join(", ") };
  }

  get source(): string {
    return this.editor.text;
  }

  private get file(): string {
    return this.named || "model";
  }

  private later(): void {
    this.named = by<HTMLSelectElement>("gallery").value = "";
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.looks.ask(), TYPING);
  }

  private question(more: Partial<Question>): Pick<Question, "text" | "parameters"> & Partial<Question> {
    return { text: this.editor.text, parameters: [...this.parameters].map(([name, value]) => `${name}=${value}`), ...more };
  }

  private ask<T>(ask: Question["ask"], more: Partial<Question> = {}): Promise<T> {
    return this.engine.ask<T>({ ...this.question(more), ask });
  }

  /** What is wrong at once, then the page part by part; another look ends this one. */
  private async look(): Promise<void> {
    const begun = performance.now();
    const text = this.editor.text;
    const fresh = text !== this.text;
    const told: string[] = [];
    const part = async (id: string, name: string): Promise<boolean> => {
      const known = await this.ask<Part>("part", { id });
      if (this.looks.outdated) return false;
      this.page.show(known, id === "proofs");
      this.part = known;
      const after = `${name} after ${((performance.now() - begun) / 1000).toFixed(2)} s`;
      told.push(told.length === 0 ? after[0]!.toUpperCase() + after.slice(1) : after);
      return true;
    };
    this.state("busy");
    this.say("Reading the model …");
    try {
      const opened = await this.ask<Opened>("open");
      if (this.looks.outdated) return;
      if (fresh) this.opened(opened, text);
      this.say("Deriving …");
      if (fresh && !(await part("equations", "equations"))) return;
      this.say(`${told.join(", ")}. Running …`);
      const motion = await part("motion", "motion").catch((why: unknown) => this.still(why));
      if (motion === false) return;
      await this.begins();
      // While something is turned or typed there are no proofs.
      this.say(`${told.join(", ")}. Proving …`);
      await this.looks.rest(this.text === null ? 0 : REST);
      this.text = text;
      if (this.looks.outdated) return;
      this.looks.patient();
      if (!(await part("proofs", "proofs"))) return;
      if (typeof motion === "string") this.say(motion, true);
      else this.say(`${told.join(", ")}.`);
      this.state(typeof motion === "string" ? "failed" : "ready");
      if (by<HTMLDetailsElement>("code").open) await this.code();
    } catch (why) {
      if (!this.looks.outdated) this.fail(why);
    }
  }

  private opened({ model, ranges, warnings }: Opened, text: string): void {
    this.editor.mark(warnings);
    this.list(warnings);
    const all = [...model.parameters, ...(model.inputs ?? [])];
    const known = new Set(all.map(({ name }) => name));
    // Values of parameters that the model no longer has.
    for (const name of this.parameters.keys()) if (!known.has(name)) this.parameters.delete(name);
    sliders(by("parameters"), all, ranges, this.parameters, (name, value) => this.turn(name, value));
    by("turn").hidden = all.length === 0;
    this.title = model.title;
    document.title = `${model.title} · Appell`;
    if (this.text !== null) this.text = text;
  }

  /** Why nothing moves; equations and proofs are shown all the same. */
  private still(why: unknown): string {
    if (!(why instanceof Refused)) throw why;
    this.editor.mark(why.problems);
    this.list(why.problems);
    return "The model does not move: see below its text.";
  }

  /** Where the motion starts, and by which points it can be pulled. */
  private async begins(): Promise<void> {
    const start = await this.ask<Start>("start").catch((why: unknown) => {
      if (why instanceof Refused) return null;
      throw why;
    });
    this.start = start;
    by("begin").hidden = start === null;
    if (start) fields(by("initial"), start, (state) => void this.move(state));
    this.page.hold(start && this.hands(start));
  }

  /** The motion goes on from the instant that is shown. */
  private async goOn(): Promise<void> {
    const t = this.page.now();
    if (t === null) return;
    try {
      const state = await this.ask<State>("instant", { state: { t, q: [], v: [] } });
      this.page.rewind();
      await this.from(state);
    } catch (why) {
      this.fail(why);
    }
  }

  private hands(start: Start): Hands {
    const asked = <T>(ask: Question["ask"], more: Partial<Question>): Promise<T | null> => this.ask<T>(ask, more).catch(() => null);
    const state = ({ t, q, v }: State) => ({ t, q, v });
    return {
      points: start.points,
      instant: (t) => asked<State>("instant", { state: { t, q: [], v: [] } }),
      pull: (from, { point, ...to }) => asked<Pulled>("pull", { state: state(from), point, ...to }),
      allowed: (from, point, speed, plane) => asked<AllowedSet>("allowed", { state: state(from), point, velocity: [speed, 0, 0], ...(plane ? { plane } : {}) }),
      begin: (from) => void this.from(from),
    };
  }

  /** The nearest state that the constraints allow, and from there. */
  private async move(wanted: State): Promise<void> {
    const { t, q, v } = wanted;
    try {
      const found = await this.ask<Pulled>("pull", { state: { t, q, v } });
      const note = found.discarded > 1e-12 ? `Moved on to the constraints: ${shown(found.discarded, 3)} of the velocity, in the kinetic metric, was discarded.` : "";
      by("discarded").textContent = note;
      await this.from(found);
    } catch (why) {
      this.fail(why);
    }
  }

  /** Writes the state into the text as its start. */
  private async from(state: State): Promise<void> {
    const start = this.start;
    if (!start) return;
    // A model in which the time does not matter starts when it did before.
    const t = start.timeless ? start.t : state.t;
    const { text } = await this.engine.ask<{ text: string }>({ ask: "started", text: this.editor.text, initial: equations(start, state), state: { t, q: [], v: [] } });
    this.editor.change(text);
    clearTimeout(this.timer);
    this.looks.ask();
  }

  private turn(name: string, value: number | null): void {
    if (value === null) this.parameters.delete(name);
    else this.parameters.set(name, value);
    this.looks.ask();
  }

  private fail(why: unknown): void {
    if (why instanceof Superseded) return;
    this.state("failed");
    // What is said of the text is to be said anew when it is mended.
    this.text = "";
    if (why instanceof Refused) {
      this.editor.mark(why.problems);
      this.list(why.problems);
      this.say(why.problems.length === 1 ? "The model has a fault." : `The model has ${why.problems.length} faults.`, true);
      return;
    }
    this.say(said(why), true);
  }

  private list(problems: Problem[]): void {
    const item = ({ severity, message, line, hint, notes, code }: Problem): HTMLLIElement => {
      const entry = document.createElement("li");
      entry.className = severity;
      const where = line === null ? "" : `line ${line}: `;
      entry.textContent = [`${where}${message}${code ? ` (${code})` : ""}`, hint, ...notes].filter(Boolean).join("\n");
      return entry;
    };
    by("problems").replaceChildren(...problems.map(item));
  }

  private say(text: string, bad = false): void {
    const status = by("status");
    status.textContent = text;
    status.classList.toggle("bad", bad);
  }

  private state(state: "busy" | "ready" | "failed"): void {
    document.body.dataset["state"] = state;
  }

  private async code(): Promise<void> {
    if (!by<HTMLDetailsElement>("code").open) return;
    const place = by("source");
    try {
      const { text } = await this.ask<{ text: string }>("code", { id: by<HTMLSelectElement>("language").value });
      place.textContent = text;
    } catch (why) {
      if (!(why instanceof Superseded)) place.textContent = said(why);
    }
  }

  /** The page of a report, as a file. */
  private async report(): Promise<void> {
    try {
      const { html } = await this.ask<{ html: string }>("page");
      saved(`${this.file}.html`, new Blob([html], { type: "text/html" }));
    } catch (why) {
      this.fail(why);
    }
  }

  private async share(): Promise<void> {
    const hash = await addressOf({ text: this.editor.text, parameters: Object.fromEntries(this.parameters) });
    history.replaceState(null, "", hash);
    const done = await copied(location.href);
    this.say(done ? "The address is copied: it holds the model." : "The address of this window holds the model now: copy it.");
  }
}

/** Light or dark, in the frame too. */
function theme(...pages: Pick<Page, "theme">[]): void {
  const root = document.documentElement;
  const dark = () => (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = by("theme");
  const label = () => (button.textContent = dark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    root.dataset["theme"] = dark() ? "light" : "dark";
    for (const page of pages) page.theme(dark());
    label();
  });
  label();
}

declare global {
  interface Window {
    /** For tests and other programs. */
    appell?: { open(text: string): Promise<void>; text(): Promise<string> };
  }
}

async function start(): Promise<void> {
  const text = (id: string): string => by(id).textContent ?? "";
  const program = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
  const bytes = new Response(inflating(text("engine")), { headers: { "content-type": "application/wasm" } });
  const inside = text("frame").replaceAll("\\u003c", "<");
  const [module, shown] = await Promise.all([WebAssembly.compileStreaming(bytes), page(by<HTMLIFrameElement>("page"), inside)]);
  if (isEmbedded(location.hash)) {
    document.documentElement.classList.add("embedded");
    shown.alone();
  }
  const engine = new Engine(program, module);
  const [gallery, words] = await Promise.all([
    engine.ask<Entry[]>({ ask: "gallery" }),
    engine.ask<{ keys: string[]; energies: string[]; languages: string[] }>({ ask: "vocabulary" }),
  ]);
  const lab = new Lab(engine, shown, gallery, words);
  const compare = new Compare(by("right"), by("compare"), shown, inside, () => lab.shown);
  theme(shown, compare);
  window.appell = { open: async (text) => lab.open(text), text: async () => lab.source };
  await lab.arrive();
}

start().catch((why: unknown) => {
  by("status").textContent = `The lab could not start: ${said(why)}`;
});
