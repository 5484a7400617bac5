// Formulas that wait, packed, until they are looked at: all together they are too much for a page.

import { display } from "./latex";

async function unpack(packed: string): Promise<string[]> {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text()) as string[];
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
