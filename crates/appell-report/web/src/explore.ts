// Any quantity against any other: a plot whose axes are chosen on the page, first a phase portrait.

import type { Clock } from "./clock";
import type { Data, Plot } from "./data";
import { clipped, html } from "./dom";
import { readable } from "./names";
import { PlotView } from "./plot";

interface Quantity {
  name: string;
  unit: string;
  values: (number | null)[];
}

/** The time, and everything that is plotted against it. */
export function quantities({ times, plots }: Data): Quantity[] {
  const timed = plots.filter((plot) => plot.series.every(({ x }) => x === null));
  const found = new Map<string, Quantity>([["t", { name: "t", unit: timed[0]?.units[0] ?? "", values: times }]]);
  for (const plot of timed) {
    for (const { label, y } of plot.series) {
      const name = label || plot.y;
      const known = found.get(name);
      if (name !== "" && (known === undefined || known.unit === "")) found.set(name, { name, unit: plot.units[1], values: y });
    }
  }
  return [...found.values()];
}

/** A coordinate that goes to and fro, with its velocity. */
function portrait(all: Quantity[]): [number, number] {
  const index = (name: string) => all.findIndex((own) => own.name === name);
  const pairs = all.map((own, i): [number, number] => [i, index(`${own.name}'`)]).filter(([, rate]) => rate >= 0);
  const turns = ([, rate]: [number, number]) => {
    const rates = all[rate]!.values;
    return rates.filter((x, i) => i > 0 && (x ?? 0) * (rates[i - 1] ?? 0) < 0).length;
  };
  return pairs.reduce<[number, number]>((best, pair) => (best[1] < 0 || turns(pair) > turns(best) ? pair : best), [0, -1]);
}

export function explore(root: HTMLElement, data: Data, clock: Clock, until: AbortSignal): void {
  const all = quantities(data);
  if (all.length < 3 || data.times.length < 3) return;
  const first = portrait(all);
  const chosen = first[1] < 0 ? [0, 1] : first;
  const select = (label: string, index: number) => {
    const options = all.map(({ name }, i) => html("option", { value: i, selected: i === index }, clipped(readable(name), 30)));
    return html("select", { class: "small", "aria-label": label }, ...options);
  };
  const [across, up] = [select("Horizontal axis", chosen[0]!), select("Vertical axis", chosen[1]!)];
  const figure = html("figure", { class: "plot", "data-plot": "chosen" }, html("figcaption", {}, up, " against ", across));
  let view: PlotView | null = null;
  const show = () => {
    const [x, y] = [all[Number(across.value)]!, all[Number(up.value)]!];
    const timed = x.name === "t";
    const series = { label: y.name, scattered: false, pen: [0, 0] as [number, number], x: timed ? null : x.values, y: y.values };
    const plot: Plot = { title: `${readable(y.name)} against ${readable(x.name)}`, x: x.name, y: y.name, units: [x.unit, y.unit], log: false, equal: false, series: [series] };
    view?.end();
    view = new PlotView(figure, plot, clock, data.plots.length, (name) => all.find((own) => own.name === `${name}'`)?.values);
  };
  const choose = () => {
    show();
    view?.now();
  };
  for (const choice of [across, up]) choice.addEventListener("change", choose);
  until.addEventListener("abort", () => view?.end());
  root.append(figure);
  show();
}
