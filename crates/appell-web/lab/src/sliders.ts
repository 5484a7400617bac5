// A slider and a field for each parameter of the model.

import { html } from "../../../appell-report/web/src/dom";
import { readable, unitOf } from "../../../appell-report/web/src/names";

export interface Parameter {
  name: string;
  value: number;
  unit: string | null;
  about: string | null;
}

type Range = [number | null, number | null];

/** From zero to twice the value, or ten to each side of zero, as far as the model allows. */
export function ends(value: number, [min, max]: Range): [number, number] {
  const size = value === 0 ? 10 : 2 * Math.abs(value);
  return [min ?? (value > 0 ? 0 : -size), max ?? (value < 0 ? 0 : size)];
}

const short = (x: number): string => String(Number(x.toPrecision(6)));

/**
 * Rows of a name, a slider and a number; `changed` hears every other value than the file's. What is returned hears the
 * values that are in force: those of parameters that the file makes of others follow these.
 */
export function sliders(
  place: HTMLElement,
  parameters: Parameter[],
  ranges: Range[],
  own: Map<string, number>,
  changed: (name: string, value: number | null) => void,
): (parameters: Parameter[]) => void {
  const followers = new Map<string, (value: number) => void>();
  const rows = parameters.map(({ name, value: inForce, unit, about }, index) => {
    let ofFile = inForce;
    const range = ranges[index] ?? [null, null];
    const [from, to] = ends(ofFile, range);
    const label = [name, about ?? "", unit ? `in ${unit}` : ""].filter(Boolean).join(", ");
    const slider = html("input", { type: "range", min: from, max: to, step: "any", "aria-label": label, "data-parameter": name });
    const field = html("input", { type: "number", step: "any", "aria-label": `${label}, as a number`, class: "number" });
    const back = html("button", { type: "button", class: "small", "aria-label": `${name} as in the file` }, "↺");
    const show = (x: number) => {
      if (range[0] === null && x < Number(slider.min)) slider.min = String(x);
      if (range[1] === null && x > Number(slider.max)) slider.max = String(x);
      slider.value = String(x);
      field.value = short(x);
      back.hidden = x === ofFile;
    };
    const tell = (x: number) => {
      if (!Number.isFinite(x)) return;
      show(x);
      changed(name, x === ofFile ? null : x);
    };
    slider.addEventListener("input", () => tell(Number(Number(slider.value).toPrecision(4))));
    field.addEventListener("change", () => tell(Number(field.value)));
    back.addEventListener("click", () => tell(ofFile));
    followers.set(name, (value) => {
      if (own.has(name) || value === ofFile) return;
      ofFile = value;
      show(value);
    });
    show(own.get(name) ?? ofFile);
    return html("div", { class: "parameter", title: about ?? "" }, html("span", { class: "name" }, readable(name)), slider, field, html("span", { class: "unit" }, unitOf(unit ?? "")), back);
  });
  place.replaceChildren(...rows);
  return (now) => now.forEach(({ name, value }) => followers.get(name)?.(value));
}
