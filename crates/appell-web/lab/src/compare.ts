// A motion that is kept beside the one that is changed, at the same instant.

import { html } from "../../../appell-report/web/src/dom";
import type { Page, Part } from "./parts";

/** The page in a frame, once it is there. */
export function page(frame: HTMLIFrameElement, document: string): Promise<Page> {
  return new Promise((done) => {
    frame.addEventListener("load", () => done(frame.contentWindow!.page!), { once: true });
    frame.srcdoc = document;
  });
}

export class Compare {
  private kept: HTMLElement | null = null;
  private other: Page | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly button: HTMLElement,
    private readonly own: Page,
    private readonly document: string,
    /** What is shown now, and what it is called. */
    private readonly now: () => { part: Part | null; name: string },
  ) {
    button.addEventListener("click", () => void (this.kept ? this.end() : this.begin()));
    own.listen((t) => this.other?.time(t));
  }

  private async begin(): Promise<void> {
    const { part, name } = this.now();
    if (!part) return;
    const frame = html("iframe", { title: `Kept: ${name}` });
    this.kept = html("div", { class: "kept" }, html("p", { class: "caption" }, `Kept: ${name}`), frame);
    this.place.classList.add("comparing");
    this.place.append(this.kept);
    this.button.textContent = "End comparison";
    const other = await page(frame, this.document);
    const theme = document.documentElement.dataset["theme"];
    if (theme) other.theme(theme === "dark");
    other.show(part, true);
    other.listen((t) => this.own.time(t));
    this.other = other;
  }

  /** In the colours of the lab. */
  theme(dark: boolean): void {
    this.other?.theme(dark);
  }

  private end(): void {
    this.kept?.remove();
    [this.kept, this.other] = [null, null];
    this.place.classList.remove("comparing");
    this.button.textContent = "Compare";
  }
}
