// Formulas that wait, packed, until they are looked at: all together they are too much for a page.

import { display } from "./latex";
import { inflating } from "./packed";

const AGAIN = "\u001c";
const NEXT = "\u001e";
const PIECE = "\u001f";

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

/** Writes each formula when it comes near the window: then its fold and its tab are open. */
export function latecomers(root: HTMLElement, packed: string, written: (formula: HTMLElement) => void): void {
  if (packed === "") return;
  let unpacked: Promise<string[]> | null = null;
  const write = async (formula: HTMLElement) => {
    unpacked ??= unpack(packed);
    const latex = (await unpacked)[Number(formula.dataset["late"])];
    if (latex === undefined || !formula.classList.contains("late")) return;
    formula.classList.remove("late");
    formula.replaceChildren(display(latex));
    written(formula);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void write(target as HTMLElement);
      }
    },
    { rootMargin: "300px" },
  );
  for (const formula of root.querySelectorAll(".late")) observer.observe(formula);
}
