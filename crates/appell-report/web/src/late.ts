// Formulas that wait, packed, until they are looked at: all together they are too much for a page.

import { display } from "./latex";

let unpacked: Promise<string[]> | null = null;

async function unpack(packed: string): Promise<string[]> {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text()) as string[];
}

/** Writes those formulas of an element that are to be seen now. */
export async function latecomers(root: HTMLElement, packed: string): Promise<void> {
  const waiting = [...root.querySelectorAll<HTMLElement>(".late")].filter((formula) => formula.offsetParent !== null);
  if (waiting.length === 0 || packed === "") return;
  unpacked ??= unpack(packed);
  const formulas = await unpacked;
  for (const formula of waiting) {
    const latex = formulas[Number(formula.dataset["late"])];
    if (latex === undefined || !formula.classList.contains("late")) continue;
    formula.classList.remove("late");
    formula.replaceChildren(display(latex));
  }
}
