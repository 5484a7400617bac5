// The lab: a model's text on the left; its equations, proofs, motion and plots on the right.

import { copied } from "../../../appell-report/web/src/clipboard";
import { clipped, shown } from "../../../appell-report/web/src/dom";
import { saved } from "../../../appell-report/web/src/pictures";
import { Compare, KEPT, type Variant, page } from "./compare";
import { Editor } from "./editor";
import { Engine, type Problem, type Question, Refused, Superseded } from "./engine";
import { type Exercise, ExerciseView, type Judged, isExercise } from "./exercise";
import { Looks } from "./looks";
import { unpacked } from "./packed";
import type { AllowedSet, Hands, Nudged, Page, Part, Pulled, Start, State } from "./parts";
import { type Shared, type Shelves, addressOf, isEmbedded, read } from "./share";
import { type Parameter, sliders } from "./sliders";
import { equations, fields } from "./start";

interface Entry {
  name: string;
  title: string;
  text: string;
}
interface Vocabulary {
  keys: string[];
  exercise: string[];
  energies: string[];
  languages: string[];
  /** Ids and titles. */
  forms: [string, string][];
}
/** An exercise with its own text. */
interface Task {
  text: string;
  exercise: Exercise;
  view: ExerciseView;
}
interface Opened {
  model: { title: string; parameters: Parameter[]; inputs?: Parameter[]; constraints: { name: string }[]; variables: string[] };
  /** Of the parameters, then of the inputs. */
  ranges: [number | null, number | null][];
  warnings: Problem[];
}

/** Rests of typing, before a fault of what is half typed is told, and before proofs begin while something is moved, in
 * milliseconds. */
const TYPING = 4;
const HALF = 250;
const REST = 300;
const FIRST = "perpendicular";
/** Bytes of a file. */
const LARGEST = 1 << 20;

const by = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const said = (why: unknown): string => (why instanceof Error ? why.message : String(why));

/** A question about a model. */
function of(text: string, parameters: Map<string, number>, more: Partial<Question> = {}): Omit<Question, "ask"> {
  return { text, parameters: [...parameters].map(([name, value]) => `${name}=${value}`), ...more };
}

/** The parameters of a model, then its inputs. */
function everyParameter({ model }: Pick<Opened, "model">): Parameter[] {
  return [...model.parameters, ...(model.inputs ?? [])];
}

/** The model of an address, or the one to begin with. */
async function addressed(hash: string, gallery: Entry[], exercises: Entry[]): Promise<Shared> {
  const shelf = (list: Entry[]) => new Map(list.map(({ name, text }) => [name, text]));
  const shelves = { gallery: shelf(gallery), exercise: shelf(exercises) };
  return (await read(hash, shelves)) ?? { text: shelves.gallery.get(FIRST) ?? "", parameters: {} };
}

class Lab {
  private parameters = new Map<string, number>();
  private timer = 0;
  private editor: Editor;
  private readonly looks = new Looks(() => this.look(), () => this.engine.drop());
  /** The text that was read last. */
  private text: string | null = null;
  private typed = false;
  private start: Start | null = null;
  /** Shows the values of parameters that the file makes of others. */
  private follow: (parameters: Parameter[]) => void = () => undefined;
  private named = "";
  private title = "";
  /** What is shown. */
  private part: Part | null = null;
  private task: Task | null = null;
  /** The model of the exercise that is written in the editor; null where a model is. */
  private written: string | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly page: Page,
    private readonly compare: Compare,
    private readonly gallery: Entry[],
    private readonly exercises: Entry[],
    private readonly words: Vocabulary,
    /** The text that the editor has from the start. */
    first: string,
    /** Other engines, for answers and for what is done by hand: they need not wait for proofs. */
    private readonly others: { judge(): Engine; hand(): Engine },
  ) {
    const { keys, exercise, energies, languages } = words;
    this.editor = new Editor(by("editor"), first, () => this.later(), [...new Set([...keys, ...energies, ...exercise])]);
    const choice = by<HTMLSelectElement>("gallery");
    const options = (list: Entry[], shelf: keyof Shelves) => list.map(({ name, title }) => new Option(title, `${shelf}/${name}`));
    const group = (label: string, list: HTMLOptionElement[]) => {
      const own = document.createElement("optgroup");
      own.label = label;
      own.append(...list);
      return own;
    };
    choice.append(group("Gallery", options(gallery, "gallery")), group("Exercises", options(exercises, "exercise")));
    choice.addEventListener("change", () => {
      if (choice.value !== "") location.hash = choice.value;
    });
    const file = by<HTMLInputElement>("file");
    by("open").addEventListener("click", () => file.click());
    file.addEventListener("change", () => void this.load(file));
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
    const asked = location.hash;
    try {
      const shared = await addressed(asked, this.gallery, this.exercises);
      // Another address may have come meanwhile.
      if (asked === location.hash) await this.open(shared.text, shared.parameters);
    } catch (why) {
      if (asked !== location.hash) return;
      this.looks.drop();
      this.fail(why);
    }
  }

  /** A file from the disk; nothing of it leaves the page. */
  private async load(place: HTMLInputElement): Promise<void> {
    const file = place.files?.[0];
    place.value = "";
    if (!file) return;
    if (file.size > LARGEST) this.fail(new Error(`This file has more than ${LARGEST} bytes: it is no model.`));
    else await this.open(await file.text());
  }

  /** Another model, or an exercise. */
  async open(text: string, parameters: Record<string, number> = {}): Promise<void> {
    this.end();
    this.parameters = new Map(Object.entries(parameters));
    const own = (list: Entry[], shelf: keyof Shelves) => list.filter((entry) => entry.text === text).map(({ name }) => `${shelf}/${name}`)[0];
    const at = own(this.gallery, "gallery") ?? own(this.exercises, "exercise") ?? "";
    this.named = at.split("/")[1] ?? "";
    this.fresh(isExercise(text) ? await this.begin(text) : text);
    by<HTMLSelectElement>("gallery").value = at;
  }

  /** A text in the editor that has nothing of what was before. */
  private fresh(text: string): void {
    this.editor.text = text;
    this.typed = false;
    this.page.forget();
    this.page.hold(null);
    this.compare.end();
    this.text = null;
    this.looks.ask();
  }

  /** Begins an exercise; the text of its model, or its own where it has faults. */
  private async begin(text: string): Promise<string> {
    try {
      const exercise = await this.engine.ask<Exercise>({ ask: "exercise", text });
      this.setTask(text, exercise);
      return exercise.model;
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      return text;
    }
  }

  private setTask(text: string, exercise: Exercise): void {
    const place = by("exercise");
    const judge = (point: number, id: string) => {
      const engine = this.others.judge();
      engine.drop();
      return engine.ask<Judged>({ ask: "answer", text, point, id });
    };
    // Who writes it has it in the editor already.
    const edit = this.written === null ? () => this.edit(text) : null;
    const view = new ExerciseView(place, exercise, judge, { edit, end: () => this.end() }, this.task?.view ?? null);
    this.task = { text, exercise, view };
    place.hidden = false;
    document.documentElement.classList.add("exercising");
  }

  /** The exercise itself in the editor. */
  private edit(text: string): void {
    this.fresh(text);
    this.named = by<HTMLSelectElement>("gallery").value = "";
  }

  private end(): void {
    this.task = null;
    by("exercise").hidden = true;
    by("exercise").replaceChildren();
    document.documentElement.classList.remove("exercising");
  }

  /** What the motion can be compared with. */
  private variants({ constraints, variables }: Opened["model"]): Variant[] {
    const asked = async (more: Partial<Question>, name: string) => ({ part: await this.ask<Part>("part", { id: "motion", ...more }), name, note: "" });
    const kept = async () => {
      const values = [...this.parameters].map(([name, value]) => `${name} = ${value}`);
      return { part: this.part!, name: `Kept: ${[this.title, ...values].join(", ")}`, note: "" };
    };
    const dropped = constraints.map(({ name }): Variant => ({ id: `drop:${name}`, name: `without ${name}`, group: "Without a constraint", part: () => asked({ dropped: [name] }, `Without ${name}`) }));
    const forms = this.words.forms.map(([id, form]): Variant => ({ id: `form:${id}`, name: form, group: "By other equations", part: () => asked({ form: id }, form) }));
    const printed: Variant = { id: "misprint", name: "Benenti 2007, (7.1) as printed", group: "", part: () => this.misprint() };
    return [
      { id: KEPT, name: "this motion, kept as it is", group: "", part: kept },
      ...(variables.length > 0 ? [printed] : []),
      ...dropped,
      ...forms,
    ];
  }

  /** The motion by equations that a paper prints, and what is wrong with them. */
  private async misprint(): Promise<{ part: Part; name: string; note: string }> {
    const { text, name, forces } = await this.ask<{ text: string; name: string; forces: [string, string][] }>("misprint");
    const part = await this.ask<Part>("part", { id: "motion", text });
    const along = forces.map(([coordinate, force]) => `${coordinate}: ${force}`).join("; ");
    const note = forces.length === 0 ? "the missing term vanishes in this model" : `as if there were a force, along ${clipped(along, 110)}`;
    return { part, name, note };
  }

  /** The text as it would be typed. */
  change(text: string): void {
    this.editor.change(text);
  }

  get source(): string {
    return this.editor.text;
  }

  private get file(): string {
    return this.named || "model";
  }

  private later(): void {
    this.typed = true;
    this.named = by<HTMLSelectElement>("gallery").value = "";
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.looks.ask(), TYPING);
  }

  private question(more: Partial<Question>): Omit<Question, "ask"> {
    return of(this.written ?? this.editor.text, this.parameters, more);
  }

  private ask<T>(ask: Question["ask"], more: Partial<Question> = {}): Promise<T> {
    return this.engine.ask<T>({ ...this.question(more), ask });
  }

  /** A part that is asked for before it is wanted; who does not come to it does not hear why there is none. */
  private early(id: string): Promise<Part> {
    const asked = this.ask<Part>("part", { id });
    asked.catch(() => undefined);
    return asked;
  }

  /** What is wrong at once, then the page part by part; another look ends this one. */
  private async look(): Promise<void> {
    const begun = performance.now();
    const text = this.editor.text;
    const fresh = text !== this.text;
    const told: string[] = [];
    const part = async (name: string, asked: Promise<Part>): Promise<boolean> => {
      const known = await asked;
      if (this.looks.outdated) return false;
      this.page.show(known, name === "proofs");
      this.part = known;
      const after = `${name} after ${((performance.now() - begun) / 1000).toFixed(2)} s`;
      told.push(told.length === 0 ? after[0]!.toUpperCase() + after.slice(1) : after);
      return true;
    };
    this.state("busy");
    this.say("Reading the model …");
    try {
      if (!(await this.writes(text))) return;
      const reading = this.ask<Opened>("open");
      // The engine goes on while this page shows what it has said.
      const equations = fresh ? this.early("equations") : null;
      const opened = await reading;
      if (this.looks.outdated) return;
      const moving = this.early("motion");
      if (fresh) this.opened(opened, text);
      else this.follow(everyParameter(opened));
      this.say("Deriving …");
      if (equations && !(await part("equations", equations))) return;
      this.say(`${told.join(", ")}. Running …`);
      const motion = await part("motion", moving).catch((why: unknown) => this.still(why));
      if (motion === false) return;
      await this.begins();
      if (this.looks.outdated) return;
      this.compare.offer(this.variants(opened.model));
      await this.compare.renew();
      if (this.looks.outdated) return;
      // While something is turned or typed there are no proofs.
      this.say(`${told.join(", ")}. Proving …`);
      await this.looks.rest(this.text === null ? 0 : REST);
      this.text = text;
      if (this.looks.outdated) return;
      this.looks.patient();
      if (!(await part("proofs", this.ask<Part>("part", { id: "proofs" })))) return;
      if (typeof motion === "string") this.say(motion, true);
      else this.say(`${told.join(", ")}.`);
      this.state(typeof motion === "string" ? "failed" : "ready");
      if (by<HTMLDetailsElement>("code").open) await this.code();
    } catch (why) {
      if (why instanceof Refused && this.typed) await this.looks.rest(HALF);
      if (!this.looks.outdated) this.fail(why);
    }
  }

  /** An exercise in the editor is read first; whether the look goes on. */
  private async writes(text: string): Promise<boolean> {
    if (!isExercise(text)) {
      this.written = null;
      return true;
    }
    this.written = "";
    const exercise = await this.engine.ask<Exercise>({ ask: "exercise", text });
    if (this.looks.outdated) return false;
    this.written = exercise.model;
    this.setTask(text, exercise);
    return true;
  }

  private opened({ model, ranges, warnings }: Opened, text: string): void {
    this.editor.mark(this.written === null ? warnings : []);
    this.list(warnings);
    const all = everyParameter({ model });
    const known = new Set(all.map(({ name }) => name));
    // Values of parameters that the model no longer has.
    for (const name of this.parameters.keys()) if (!known.has(name)) this.parameters.delete(name);
    this.follow = sliders(by("parameters"), all, ranges, this.parameters, (name, value) => this.turn(name, value));
    by("turn").hidden = all.length === 0;
    this.title = model.title;
    document.title = `${model.title} · Appell`;
    if (this.text !== null) this.text = text;
  }

  /** Why nothing moves; equations and proofs are shown all the same. */
  private still(why: unknown): string {
    if (!(why instanceof Refused)) throw why;
    if (this.written === null) this.editor.mark(why.problems);
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
    // What is pulled would be written into the text, which is that of an exercise.
    if (this.written !== null) this.start = null;
    by("begin").hidden = this.start === null;
    if (this.start) fields(by("initial"), this.start, (state) => void this.move(state));
    this.page.hold(this.start && this.hands(this.start));
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
    const engine = this.others.hand();
    // What was asked of the model before is not wanted any more, and its nudges are gone.
    engine.drop();
    const own = this.question({});
    const asked = <T>(ask: Question["ask"], more: Partial<Question>): Promise<T | null> => engine.ask<T>({ ...own, ...more, ask }).catch(() => null);
    void asked("forget", {});
    const state = ({ t, q, v }: State) => ({ t, q, v });
    return {
      points: start.points,
      instant: (t) => asked<State>("instant", { state: { t, q: [], v: [] } }),
      pull: (from, { point, ...to }) => asked<Pulled>("pull", { state: state(from), point, ...to }),
      allowed: (from, point, speed, plane) => asked<AllowedSet>("allowed", { state: state(from), point, velocity: [speed, 0, 0], ...(plane ? { plane } : {}) }),
      leg: (from, until) => asked<Nudged>("leg", { state: state(from), until }).then((own): Nudged | null => own && { ...own, t: from.t }),
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
    // What is said of the text is to be said anew when it is corrected.
    this.text = "";
    if (why instanceof Refused) {
      this.editor.mark(why.problems);
      this.list(why.problems);
      const what = isExercise(this.editor.text) ? "The exercise" : "The model";
      this.say(why.problems.length === 1 ? `${what} has a fault.` : `${what} has ${why.problems.length} faults.`, true);
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
      const assets = JSON.parse(await unpacked(by("assets").textContent, Infinity)) as { style: string; script: string };
      const { html } = await this.ask<{ html: string }>("page", assets);
      saved(`${this.file}.html`, new Blob([html], { type: "text/html" }));
    } catch (why) {
      this.fail(why);
    }
  }

  private async share(): Promise<void> {
    const known = this.task && this.exercises.find(({ text }) => text === this.task?.text);
    const text = this.task?.text ?? this.editor.text;
    const hash = known ? `#exercise/${known.name}` : await addressOf({ text, parameters: Object.fromEntries(this.parameters) });
    history.replaceState(null, "", hash);
    const done = await copied(location.href);
    this.say(done ? `The address is copied: it holds the ${this.task ? "exercise" : "model"}.` : "The address of this window holds the model now: copy it.");
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
    appell?: { open(text: string): Promise<void>; text(): Promise<string>; change(text: string): void; ask(question: Question): Promise<unknown> };
  }
}

/** What the engine says of itself, written into the page when that was made. */
interface Told {
  gallery: Entry[];
  exercises: Entry[];
  vocabulary: Vocabulary;
}

async function start(): Promise<void> {
  const text = (id: string): string => by(id).textContent ?? "";
  const program = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
  const inside = text("frame").replaceAll("\\u003c", "<");
  const module = window.engine!;
  const engine = new Engine(program, module);
  const { gallery, exercises, vocabulary } = JSON.parse(text("told")) as Told;
  // The engine reads and derives while this page is made.
  const { text: first, parameters } = await addressed(location.hash, gallery, exercises).catch(() => ({ text: "", parameters: {} }));
  const asked = of(first, new Map(Object.entries(parameters)));
  if (first !== "" && !isExercise(first)) {
    engine.ahead({ ...asked, ask: "open" });
    engine.ahead({ ...asked, id: "equations", ask: "part" });
  }
  const shown = await page(by<HTMLIFrameElement>("page"), inside);
  if (isEmbedded(location.hash)) {
    document.documentElement.classList.add("embedded");
    shown.alone();
  }
  const compare = new Compare(by("right"), by("compare"), shown, inside);
  let [judge, hand]: (Engine | null)[] = [null, null];
  const others = { judge: () => (judge ??= new Engine(program, module, false)), hand: () => (hand ??= new Engine(program, module, false)) };
  const lab = new Lab(engine, shown, compare, gallery, exercises, vocabulary, first, others);
  theme(shown, compare);
  window.appell = { open: (text) => lab.open(text), text: async () => lab.source, change: (text) => lab.change(text), ask: (question) => engine.ask(question) };
  await Promise.all([lab.arrive(), module]);
}

start().catch((why: unknown) => {
  by("status").textContent = `The lab could not start: ${said(why)}`;
});
