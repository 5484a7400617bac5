// Where the motion starts: a field for each coordinate and velocity.

import { html } from "../../../appell-report/web/src/dom";
import { readable } from "../../../appell-report/web/src/names";
import type { Start, State } from "./parts";

/** The equations of a state, as `[initial]` has them. */
export function equations({ coordinates }: Start, { q, v }: State): string[] {
  return coordinates.flatMap((name, i) => [`${name} = ${q[i]}`, `${name}' = ${v[i]}`]);
}

const short = (x: number): string => String(Number(x.toPrecision(7)));

/** Rows of a name, a coordinate and a velocity; `changed` hears the state with one number changed. */
export function fields(place: HTMLElement, start: Start, changed: (state: State) => void): void {
  const field = (name: string, numbers: "q" | "v", i: number) => {
    const input = html("input", { type: "number", step: "any", "aria-label": name, "data-start": name, value: short(start[numbers][i]!) });
    input.addEventListener("change", () => {
      const value = Number(input.value);
      if (!Number.isFinite(value) || input.value === "") return;
      const state = { ...start, q: [...start.q], v: [...start.v] };
      state[numbers][i] = value;
      changed(state);
    });
    return input;
  };
  const head = html("div", { class: "initial head", "aria-hidden": true }, html("span", {}, ""), html("span", {}, "value"), html("span", {}, "velocity"));
  const rows = start.coordinates.map((name, i) => html("div", { class: "initial" }, html("span", { class: "name" }, readable(name)), field(name, "q", i), field(`${name}'`, "v", i)));
  place.replaceChildren(head, ...rows);
}
