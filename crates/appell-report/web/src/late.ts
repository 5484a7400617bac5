// Formulas that wait, packed, until they are looked at: all together they are too much for a page.

import { display } from "./latex";
import { inflating } from "./packed";

const AGAIN = "\u001c";
const NEXT = "\u001e";
const PIECE = "\u001f";

/** Other equations may take the place of these. */
let leave = new AbortController();

/** What crates/appell-report/src/page/data.rs packed: pieces for characters, lines that stand there once. */
async function unpack(packed: string): Promise<string[]> {
  const [table, ...formulas] = (await new Response(inflating(packed)).text()).split(NEXT);
  const pieces = new Map(table!.split(PIECE).map((piece) => [piece[0]!, piece.slice(1)]));
  const lines: string[] = [];
  const line = (text: string): string => {
    if (text.startsWith(AGAIN)) return lines[Number(text.slice(1))] ?? "";
    lines.push(text.replace(/[\u0001-\u001b]/g, (c) => pieces.get(c) ?? c));
    return lines[lines.length - 1]!;
  };
  return formulas.map((formula) => formula.split("\n").map(line).join("\n"));
}

/** Writes each formula when it comes near the window: then its fold and its tab are open; on paper those of the form that is
 * chosen: all forms of a bicycle would be hundreds of sheets. */
export function latecomers(root: HTMLElement, packed: string, written: (formula: HTMLElement) => void): void {
  if (packed === "") return;
  let unpacked: Promise<string[]> | null = null;
  let ready: string[] = [];
  const known = async () => (ready = await (unpacked ??= unpack(packed)));
  const write = (formula: HTMLElement) => {
    const latex = ready[Number(formula.dataset["late"])];
    if (latex === undefined || !formula.classList.contains("late")) return;
    formula.classList.remove("late");
    formula.replaceChildren(display(latex));
    written(formula);
  };
  // Who prints does not wait: the texts are unpacked when there is nothing else to do, in Safari after a while.
  const idle = globalThis.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 1500));
  idle(() => void known());
  leave.abort();
  leave = new AbortController();
  addEventListener("beforeprint", () => root.querySelectorAll<HTMLElement>(".form:not([hidden]) .late").forEach(write), { signal: leave.signal });
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void known().then(() => write(target as HTMLElement));
      }
    },
    { rootMargin: "300px" },
  );
  for (const formula of root.querySelectorAll(".late")) observer.observe(formula);
}
