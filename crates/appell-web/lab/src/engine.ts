// The engine: WebAssembly in a worker. A question that nobody waits for any more ends its worker; another one is kept warm.

/** What is wrong with a model, as `appell check --json` says it; `span` counts characters. */
export interface Problem {
  code: string | null;
  severity: "error" | "warning";
  message: string;
  hint: string | null;
  span: [number, number] | null;
  line: number | null;
  notes: string[];
  text: string;
}

export class Refused extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map(({ message }) => message).join("\n"));
  }
}

/** A later question took its place. */
export class Superseded extends Error {}

export interface Question {
  ask: "gallery" | "vocabulary" | "open" | "form" | "code" | "page" | "part" | "start" | "started" | "instant" | "pull" | "allowed" | "exercises" | "exercise" | "answer" | "misprint" | "leg" | "step" | "forget";
  name?: string;
  text?: string;
  parameters?: string[];
  initial?: string[];
  /** Constraints that are left out, and the formalism that is integrated. */
  dropped?: string[];
  form?: string;
  id?: string;
  dt?: number;
  until?: number;
  state?: { t: number; q: number[]; v: number[] };
  point?: number;
  place?: [number, number, number];
  velocity?: [number, number, number];
  plane?: [number, number];
  /** What a page carries beside its content. */
  style?: string;
  script?: string;
}

interface Waiting {
  done(answer: unknown): void;
  failed(why: Error): void;
}

/** An engine that takes more bytes is let go: it keeps every text that it has read. */
const LARGE = 500_000_000;
/** Milliseconds until another worker is kept warm. */
const LATER = 2500;
const TRAPPED = "The engine stopped: this was too large or too deep for it. It has been started again.";

export class Engine {
  private current: Worker;
  private spare: Worker | null = null;
  private waiting = new Map<number, Waiting>();
  private readonly early = new Map<string, Promise<unknown>>();
  private count = 0;

  constructor(
    private readonly program: string,
    private readonly module: Promise<WebAssembly.Module>,
    /** Whether another worker waits ready: from the first answers on, which it would hold up. */
    private readonly warm = true,
  ) {
    this.current = this.worker();
    if (warm) setTimeout(() => (this.spare ??= this.worker()), LATER);
  }

  private worker(): Worker {
    const worker = new Worker(this.program);
    // Who compiles it tells why it cannot be.
    this.module.then((module) => worker.postMessage(module), () => undefined);
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer?: string; bytes?: number; trap?: string }>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.answer === undefined) {
        const why = new Error(`${TRAPPED} (${data.trap ?? ""})`);
        waiting?.failed(why);
        // What else was asked of it has no answer either.
        this.giveUp(why);
        return;
      }
      const { ok, error } = JSON.parse(data.answer) as { ok?: unknown; error?: Problem[] };
      if (error) waiting?.failed(new Refused(error));
      else waiting?.done(ok);
      if ((data.bytes ?? 0) > LARGE && this.waiting.size === 0) this.restart();
    };
    worker.onerror = () => this.giveUp(new Error(TRAPPED));
    return worker;
  }

  private restart(): void {
    this.current.terminate();
    this.current = this.spare ?? this.worker();
    this.spare = this.warm ? this.worker() : null;
  }

  get busy(): boolean {
    return this.waiting.size > 0;
  }

  /** Asks what will be asked for next, to the letter. */
  ahead(question: Question): void {
    const answer = this.ask(question);
    answer.catch(() => undefined);
    this.early.set(JSON.stringify(question), answer);
  }

  ask<T>(question: Question): Promise<T> {
    const text = JSON.stringify(question);
    const early = this.early.get(text);
    this.early.delete(text);
    if (early) return early as Promise<T>;
    const id = this.count++;
    this.current.postMessage({ id, question: text });
    return new Promise((done, failed) => this.waiting.set(id, { done: done as (answer: unknown) => void, failed }));
  }

  /** Gives up what has not been answered. */
  drop(): void {
    if (this.waiting.size > 0) this.giveUp(new Superseded());
  }

  private giveUp(why: Error): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.early.clear();
    this.restart();
    for (const one of waiting) one.failed(why);
  }
}
