// The lab: a model's text on the left; its equations, proofs, motion and plots on the right.

import { copied } from "../../../appell-report/web/src/clipboard";
import { inflating } from "../../../appell-report/web/src/packed";
import { saved } from "../../../appell-report/web/src/pictures";
import { Editor } from "./editor";
import { Engine, type Problem, Refused, Superseded } from "./engine";
import { addressOf, read } from "./share";
import { type Parameter, sliders } from "./sliders";

interface Entry {
  name: string;
  title: string;
  text: string;
}
interface Opened {
  model: { title: string; parameters: Parameter[] };
  ranges: [number | null, number | null][];
  warnings: Problem[];
}

/** Rests of typing, in milliseconds, after which the model is looked at. */
const REST = 250;
const FIRST = "perpendicular";

const by = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const said = (why: unknown): string => (why instanceof Error ? why.message : String(why));

class Lab {
  private parameters = new Map<string, number>();
  private timer = 0;
  private round = 0;
  private editor: Editor;
  private readonly frame = by<HTMLIFrameElement>("page");

  constructor(
    private readonly engine: Engine,
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
    by("share").addEventListener("click", () => void this.share());
    by("save").addEventListener("click", () => this.save());
    addEventListener("hashchange", () => void this.arrive());
  }

  /** The model of the address, or the one to begin with. */
  async arrive(): Promise<void> {
    const texts = new Map(this.gallery.map(({ name, text }) => [name, text]));
    try {
      const shared = (await read(location.hash, texts)) ?? { text: texts.get(FIRST) ?? "", parameters: {} };
      this.parameters = new Map(Object.entries(shared.parameters));
      this.editor.text = shared.text;
      by<HTMLSelectElement>("gallery").value = this.gallery.find(({ text }) => text === shared.text)?.name ?? "";
    } catch (why) {
      this.say(said(why), true);
      return;
    }
    await this.look();
  }

  private later(): void {
    by<HTMLSelectElement>("gallery").value = "";
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.look(), REST);
  }

  private get question(): { text: string; parameters: string[] } {
    return { text: this.editor.text, parameters: [...this.parameters].map(([name, value]) => `${name}=${value}`) };
  }

  /** What is wrong at once, then the page; a later look ends an earlier one. */
  private async look(newText = true): Promise<void> {
    const round = ++this.round;
    this.engine.drop();
    this.say("Reading the model …");
    const begun = performance.now();
    try {
      const opened = await this.engine.ask<Opened>({ ask: "open", ...this.question });
      if (newText) {
        this.editor.mark(opened.warnings);
        this.list(opened.warnings);
        sliders(by("parameters"), opened.model.parameters, opened.ranges, this.parameters, (name, value) => this.turn(name, value));
        this.forget(opened.model.parameters);
      }
      document.title = `${opened.model.title} · Appell`;
      this.say("Deriving, proving, running …");
      document.body.classList.add("working");
      const page = await this.engine.ask<{ html: string }>({ ask: "page", ...this.question });
      if (round !== this.round) return;
      this.show(page.html);
      this.say(`Equations, proofs and motion in ${((performance.now() - begun) / 1000).toFixed(2)} s.`);
      if (by<HTMLDetailsElement>("code").open) await this.code();
    } catch (why) {
      if (round === this.round) this.fail(why);
    } finally {
      if (round === this.round) document.body.classList.remove("working");
    }
  }

  private fail(why: unknown): void {
    if (why instanceof Superseded) return;
    if (why instanceof Refused) {
      this.editor.mark(why.problems);
      this.list(why.problems);
      this.say(why.problems.length === 1 ? "The model has a fault." : `The model has ${why.problems.length} faults.`, true);
      return;
    }
    this.say(said(why), true);
  }

  /** Values of parameters that the model no longer has. */
  private forget(parameters: Parameter[]): void {
    const known = new Set(parameters.map(({ name }) => name));
    for (const name of this.parameters.keys()) if (!known.has(name)) this.parameters.delete(name);
  }

  private turn(name: string, value: number | null): void {
    if (value === null) this.parameters.delete(name);
    else this.parameters.set(name, value);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.look(false), REST / 2);
  }

  /** The page of the report, at the place where the one before was read. */
  private show(html: string): void {
    const before = this.frame.contentWindow?.scrollY ?? 0;
    this.frame.addEventListener("load", () => this.frame.contentWindow?.scrollTo({ top: before, behavior: "instant" }), { once: true });
    this.frame.srcdoc = html;
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

  private async code(): Promise<void> {
    const place = by("source");
    try {
      const { text } = await this.engine.ask<{ text: string }>({ ask: "code", id: by<HTMLSelectElement>("language").value, ...this.question });
      place.textContent = text;
    } catch (why) {
      if (!(why instanceof Superseded)) place.textContent = said(why);
    }
  }

  private async share(): Promise<void> {
    const hash = await addressOf({ text: this.editor.text, parameters: Object.fromEntries(this.parameters) });
    history.replaceState(null, "", hash);
    const done = await copied(location.href);
    this.say(done ? "The address is copied: it holds the model." : "The address of this window holds the model now: copy it.");
  }

  private save(): void {
    saved("model.toml", new Blob([this.editor.text], { type: "application/toml" }));
  }
}

async function start(): Promise<void> {
  const text = (id: string): string => by(id).textContent ?? "";
  const program = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
  const bytes = new Response(inflating(text("engine")), { headers: { "content-type": "application/wasm" } });
  const module = await WebAssembly.compileStreaming(bytes);
  const engine = new Engine(program, module);
  const [gallery, words] = await Promise.all([
    engine.ask<Entry[]>({ ask: "gallery" }),
    engine.ask<{ keys: string[]; energies: string[]; languages: string[] }>({ ask: "vocabulary" }),
  ]);
  const lab = new Lab(engine, gallery, words);
  by("code").addEventListener("toggle", () => by("language").dispatchEvent(new Event("change")));
  await lab.arrive();
}

start().catch((why: unknown) => {
  by("status").textContent = `The lab could not start: ${said(why)}`;
});
