// Another motion beside the one that is shown, at the same instant.

import { html, shown } from "../../../appell-report/web/src/dom";
import { readable } from "../../../appell-report/web/src/names";
import { Superseded } from "./engine";
import { apart } from "./graft";
import type { Page, Part } from "./parts";

/** The variant that stays as it was. */
export const KEPT = "kept";

/** The page in a frame, once it is there. */
export function page(frame: HTMLIFrameElement, document: string): Promise<Page> {
  return new Promise((done) => {
    frame.addEventListener("load", () => done(frame.contentWindow!.page!), { once: true });
    frame.srcdoc = document;
  });
}

/** What a motion can be compared with; `part` makes it, anew whenever the model has changed, unless it is kept. */
export interface Variant {
  id: string;
  name: string;
  group: string;
  part(): Promise<{ part: Part; name: string; note: string }>;
}

const NONE = "";
/** What differs by less is rounding. */
const SAME = 1e-6;

export class Compare {
  private kept: HTMLElement | null = null;
  private other: Page | null = null;
  private chosen: Variant | null = null;
  private variants: Variant[] = [];
  private told: { name: string; note: string } | null = null;
  private readonly caption = html("p", { class: "caption", role: "status" });

  constructor(
    private readonly place: HTMLElement,
    private readonly choice: HTMLSelectElement,
    private readonly own: Page,
    private readonly document: string,
  ) {
    choice.addEventListener("change", () => void this.choose());
    own.listen((t) => this.other?.time(t));
    own.changed(() => this.tell());
  }

  /** What the model can be compared with; a comparison that it no longer has ends. */
  offer(variants: Variant[]): void {
    const ids = (list: Variant[]) => list.map(({ id }) => id).join(" ");
    const same = ids(variants) === ids(this.variants) && this.choice.value === (this.chosen?.id ?? NONE);
    this.variants = variants;
    // A list that is open stays so.
    if (same && !this.chosen) return;
    const groups = new Map<string, Variant[]>();
    for (const own of variants) groups.set(own.group, [...(groups.get(own.group) ?? []), own]);
    const option = ({ id, name }: Variant) => html("option", { value: id, selected: id === this.chosen?.id }, name);
    const all = [...groups].map(([label, list]) => (label === "" ? list.map(option) : [html("optgroup", { label }, ...list.map(option))]));
    this.choice.replaceChildren(html("option", { value: NONE }, this.chosen ? "End comparison" : "Compare …"), ...all.flat());
    if (!this.chosen) return;
    this.chosen = variants.find(({ id }) => id === this.chosen?.id) ?? null;
    if (!this.chosen) this.end();
    else this.choice.value = this.chosen.id;
  }

  private async choose(): Promise<void> {
    this.chosen = this.variants.find(({ id }) => id === this.choice.value) ?? null;
    if (!this.chosen) return this.end();
    await this.open();
    await this.show(this.chosen);
    this.offer(this.variants);
  }

  private async open(): Promise<void> {
    if (this.kept) return;
    const frame = html("iframe", { title: "What it is compared with" });
    this.kept = html("div", { class: "kept" }, this.caption, frame);
    this.place.classList.add("comparing");
    this.place.append(this.kept);
    const other = await page(frame, this.document);
    const theme = document.documentElement.dataset["theme"];
    if (theme) other.theme(theme === "dark");
    other.listen((t) => this.own.time(t));
    other.changed(() => this.tell());
    for (const one of [this.own, other]) one.beside(true);
    this.other = other;
  }

  /** Makes it anew, after the model has changed. */
  async renew(): Promise<void> {
    if (this.chosen && this.chosen.id !== KEPT) await this.show(this.chosen);
  }

  private async show(variant: Variant): Promise<void> {
    this.caption.textContent = `${variant.name} …`;
    this.told = null;
    try {
      const { part, name, note } = await variant.part();
      if (this.chosen !== variant && this.chosen?.id !== variant.id) return;
      this.other?.show(part, true);
      const now = this.own.now();
      if (now !== null) this.other?.time(now);
      this.told = { name, note };
      this.tell();
    } catch (why) {
      if (why instanceof Superseded) return;
      this.other?.forget();
      this.caption.textContent = `${variant.name}: ${why instanceof Error ? why.message : String(why)}`;
    }
  }

  private tell(): void {
    if (!this.told) return;
    const { name, note } = this.told;
    this.caption.textContent = [name, this.difference(), note].filter(Boolean).join(" · ");
  }

  private difference(): string {
    const [one, other] = [this.own.data(), this.other?.data()];
    if (one?.by_hand || other?.by_hand) return "changed by hand, and no longer compared";
    const found = one && other ? apart(one, other) : null;
    if (!found) return "";
    return found.part < SAME ? `the same motion, to ${shown(found.part, 1)}` : `most apart: ${readable(found.name)} at t = ${shown(found.t, 3)}, by ${shown(100 * found.part, 2)} % of its size`;
  }

  /** In the colours of the lab. */
  theme(dark: boolean): void {
    this.other?.theme(dark);
  }

  end(): void {
    this.own.beside(false);
    this.kept?.remove();
    [this.kept, this.other, this.chosen, this.told] = [null, null, null, null];
    this.place.classList.remove("comparing");
    this.choice.value = NONE;
    this.choice.options[0]!.textContent = "Compare …";
  }
}
