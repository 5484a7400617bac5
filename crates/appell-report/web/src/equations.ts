// The equations: a tab for each form, and their LaTeX to copy.

import { copied } from "./clipboard";
import { html, set } from "./dom";
import { latecomers } from "./late";
import { watch } from "./scrollers";

/** Turns the sections of the forms into tabs. */
export function tabs(root: HTMLElement, packed: string): void {
  const panels = [...root.querySelectorAll<HTMLElement>(".form")];
  if (panels.length === 0) return;
  const list = html("div", { class: "tabs", role: "tablist", "aria-label": "Forms of the equations" });
  const buttons = panels.map((panel) => {
    const title = panel.querySelector("h3")?.textContent ?? panel.id;
    const applies = panel.dataset["applies"] === "true";
    const tab = html("button", { type: "button", role: "tab", id: `tab-${panel.id}`, "aria-controls": panel.id, class: applies ? "" : "idle" }, title);
    set(panel, { role: "tabpanel", "aria-labelledby": tab.id, tabindex: 0 });
    return tab;
  });
  const choose = (chosen: number, focus: boolean) => {
    buttons.forEach((tab, i) => {
      set(tab, { "aria-selected": String(i === chosen), tabindex: i === chosen ? 0 : -1 });
      panels[i]!.hidden = i !== chosen;
    });
    if (focus) buttons[chosen]!.focus();
  };
  buttons.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(i, false));
    tab.addEventListener("keydown", (event) => {
      const last = buttons.length - 1;
      const to = { ArrowRight: i === last ? 0 : i + 1, ArrowLeft: i === 0 ? last : i - 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(to, true);
    });
  });
  panels.forEach((panel) => panel.querySelector("h3")?.after(copyButton(panel)));
  latecomers(root, packed, watch);
  list.append(...buttons);
  panels[0]!.before(list);
  choose(0, false);
}

function copyButton(panel: HTMLElement): HTMLElement {
  const button = html("button", { type: "button", class: "small copy" }, "Copy LaTeX");
  button.addEventListener("click", async () => {
    const done = await copied(latex(panel));
    button.textContent = done ? "Copied" : "Could not copy";
    setTimeout(() => (button.textContent = "Copy LaTeX"), 1500);
  });
  return button;
}

/** The LaTeX of every displayed formula in an element. */
function latex(element: Element): string {
  const formulas = element.querySelectorAll("math[display=block] annotation");
  const texts = [...formulas].map((formula) => formula.textContent ?? "");
  return texts.map((text) => (text.startsWith("\\begin{align") ? text : `\\[ ${text} \\]`)).join("\n\n");
}

/** One button for the formula under the pointer. */
export function copyFormulas(root: HTMLElement): void {
  const button = html("button", { type: "button", class: "small hover-copy", tabindex: -1, "aria-hidden": true }, "LaTeX");
  button.hidden = true;
  let formula: Element | null = null;
  root.addEventListener("pointerover", (event) => {
    const over = event.target instanceof Element ? event.target.closest(".formula") : null;
    if (!over || over === formula) return;
    formula = over;
    button.hidden = false;
    button.textContent = "LaTeX";
    over.prepend(button);
  });
  button.addEventListener("click", async () => {
    if (formula) button.textContent = (await copied(latex(formula))) ? "Copied" : "Could not copy";
  });
}
