// An exercise: one question after the other, each answered by a claim that the engine proves or refutes.

import { clipped, html } from "../../../appell-report/web/src/dom";

interface Wanted {
  kind: "constant" | "equation" | "always" | "class" | "singular_at" | "equivalent";
  /** Before and after what is to be found; null where a claim is to be judged. */
  around: [string, string] | null;
  given: string[];
  list: boolean;
  where: string[];
}

export interface Exercise {
  title: string;
  about: string | null;
  /** The text of its model. */
  model: string;
  steps: { text: string; claim: Wanted | null; hint: string | null; solution: string | null; after: string | null }[];
}

export interface Judged {
  verdict: "right" | "wrong" | "open" | "trivial" | "unread";
  said: string[];
  after?: string | null;
}

const WORDS: Record<Judged["verdict"], string> = {
  right: "Right.",
  wrong: "Not so.",
  open: "Neither proved nor refuted.",
  trivial: "True, but not what is asked for:",
  unread: "This cannot be read:",
};
const CLAIMS: Record<Wanted["kind"], [string, string]> = {
  constant: ["", "is constant"],
  equation: ["", ""],
  always: ["", "always holds"],
  class: ["The constraints are", ""],
  singular_at: ["Singular where", ""],
  equivalent: ["The same equations:", ""],
};
const LISTS: Wanted["kind"][] = ["class", "singular_at", "equivalent"];

/** What the reader did at a step. */
interface Progress {
  answer: string;
  judged: Judged | null;
}

export class ExerciseView {
  private at = 0;
  private progress: Progress[] = [];
  private asked = 0;

  constructor(
    private readonly place: HTMLElement,
    private readonly exercise: Exercise,
    private readonly judge: (step: number, answer: string) => Promise<Judged>,
    private readonly buttons: { edit: (() => void) | null; end: () => void },
    before: ExerciseView | null,
  ) {
    // Where its writer changes it, the reader's place stays.
    this.progress = exercise.steps.map((_, i) => before?.progress[i] ?? { answer: "", judged: null });
    this.at = Math.min(before?.at ?? 0, exercise.steps.length - 1);
    this.draw(false);
  }

  private button(text: string, act: () => void, more: Record<string, string | boolean> = {}): HTMLButtonElement {
    const own = html("button", { type: "button", ...more }, text);
    own.addEventListener("click", act);
    return own;
  }

  private draw(focus: boolean): void {
    const { title, about, steps } = this.exercise;
    const step = steps[this.at]!;
    const dots = steps.map((own, i) => {
      const done = this.progress[i]!.judged?.verdict === "right" || (own.claim === null && i < this.at);
      const dot = this.button(done ? "✓" : String(i + 1), () => this.go(i), { class: `dot${done ? " done" : ""}`, "aria-label": `Step ${i + 1}${done ? ", done" : ""}` });
      if (i === this.at) dot.setAttribute("aria-current", "step");
      return dot;
    });
    const ends = [...(this.buttons.edit ? [this.button("Edit", this.buttons.edit, { class: "small" })] : []), this.button("End exercise", this.buttons.end, { class: "small" })];
    const head = html("div", { class: "exercise-head" }, html("h2", {}, title), html("span", { class: "ends" }, ...ends));
    const ask = html("p", { class: "ask", tabindex: -1 }, step.text);
    const next = this.button(this.at + 1 < steps.length ? "Next ›" : "Done", () => (this.at + 1 < steps.length ? this.go(this.at + 1) : this.buttons.end()), { class: "next" });
    const back = this.button("‹ Back", () => this.go(this.at - 1), this.at === 0 ? { disabled: true } : {});
    const parts = [head, ...(about && this.at === 0 ? [html("p", { class: "hint" }, about)] : []), html("div", { class: "dots", role: "group", "aria-label": "Steps" }, ...dots), ask, ...this.asks(), html("div", { class: "exercise-foot" }, back, next)];
    this.place.replaceChildren(...parts);
    if (focus) (this.place.querySelector<HTMLElement>("input, .judge button") ?? ask).focus({ preventScroll: true });
  }

  private go(step: number): void {
    this.at = step;
    this.asked++;
    this.draw(true);
  }

  /** What is to be filled in, the verdict, and what helps. */
  private asks(): HTMLElement[] {
    const { claim, hint, solution } = this.exercise.steps[this.at]!;
    if (!claim) return [];
    const own = this.progress[this.at]!;
    const verdict = html("div", { class: "verdict", role: "status" });
    const tell = () => this.tell(verdict, own.judged);
    tell();
    const where = claim.where.length > 0 ? [html("p", { class: "hint" }, `where ${claim.where.join(" and ")}`)] : [];
    const help = [
      ...(hint ? [html("details", {}, html("summary", {}, "A hint"), html("p", {}, hint))] : []),
      ...(solution && claim.around ? [html("details", { class: "solution" }, html("summary", {}, "An answer"), html("p", {}, html("code", {}, solution)))] : []),
    ];
    const [before, after] = CLAIMS[claim.kind];
    if (!claim.around) {
      const said = html("p", { class: "claim" }, before, " ", html("code", {}, claim.given.join(", ")), " ", after);
      const judge = (text: string, answer: string) => this.button(text, () => void this.check(answer, verdict), { "aria-pressed": String(own.answer === answer) });
      return [said, ...where, html("div", { class: "judge" }, judge("True", "true"), judge("False", "false")), verdict, ...help];
    }
    const [left, right] = claim.around;
    const kind = LISTS.includes(claim.kind) ? "with commas" : "";
    const input = html("input", { type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": `Your answer${left.trim() ? `: ${left.trim()}` : ""}`, placeholder: kind, maxlength: 2000 });
    input.value = own.answer;
    const form = html("form", { class: "claim" }, html("span", { class: "said" }, before, html("code", {}, left)), input, html("span", { class: "said" }, html("code", {}, right), after), html("button", { type: "submit" }, "Check"));
    input.addEventListener("input", () => (own.answer = input.value));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.check(input.value, verdict);
    });
    return [form, ...where, verdict, ...help];
  }

  private async check(answer: string, place: HTMLElement): Promise<void> {
    const [step, asked] = [this.at, ++this.asked];
    const own = this.progress[step]!;
    own.answer = answer;
    place.className = "verdict";
    place.textContent = "Checking …";
    try {
      own.judged = await this.judge(step, answer);
    } catch (why) {
      // A later answer took its place, or it was too much.
      if (asked !== this.asked) return;
      own.judged = { verdict: "open", said: [why instanceof Error ? why.message : String(why)] };
    }
    if (asked !== this.asked) return;
    // Where a claim is judged, the button that was pressed.
    if (!this.exercise.steps[step]!.claim?.around) this.draw(true);
    else {
      this.tell(place, own.judged);
      this.mark();
    }
  }

  /** The step is done, without a word typed being lost. */
  private mark(): void {
    const dot = this.place.querySelectorAll<HTMLElement>(".dot")[this.at];
    if (this.progress[this.at]!.judged?.verdict !== "right" || !dot) return;
    dot.classList.add("done");
    dot.textContent = "✓";
    dot.setAttribute("aria-label", `Step ${this.at + 1}, done`);
  }

  private tell(place: HTMLElement, judged: Judged | null): void {
    if (!judged) return;
    place.className = `verdict ${judged.verdict}`;
    place.dataset["verdict"] = judged.verdict;
    const [first, ...rest] = judged.said;
    const lines = [first ? `${first[0]!.toUpperCase()}${first.slice(1)}` : "", ...rest].filter(Boolean).map((line) => html("p", { class: "why" }, clipped(line, 600)));
    const after = judged.verdict === "right" && judged.after ? [html("p", {}, judged.after)] : [];
    place.replaceChildren(html("p", {}, html("strong", {}, WORDS[judged.verdict])), ...after, ...lines);
  }
}

/** Whether a text is an exercise: one that begins with its key. */
export const isExercise = (text: string): boolean => /^\s*(#[^\n]*\n\s*)*exercise\s*=/.test(text);
