// Files from the page: the numbers, the picture, the model.

import type { Data } from "./data";
import { html } from "./dom";

/** The properties that a picture has from the page's style. */
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "opacity", "visibility", "display", "font", "text-anchor", "paint-order", "stop-color"];

function save(name: string, kind: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: kind }));
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A drawing of the page as a file that stands by itself. */
export function picture(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const [from, to] = [[drawing, ...drawing.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const computed = getComputedStyle(element);
    const own = STYLES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";");
    to[i]!.setAttribute("style", own.replaceAll('"', "'"));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/** Everything that is plotted against the time, a column each. */
export function table({ times, plots }: Data): string {
  const quoted = (name: string) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const columns = plots.filter((plot) => plot.series.every(({ x }) => x === null)).flatMap((plot) => plot.series.map((series) => ({ name: series.label || plot.y || plot.title, y: series.y })));
  const lines = times.map((time, i) => [time, ...columns.map(({ y }) => y[i] ?? "")].join(","));
  return [["t", ...columns.map(({ name }) => quoted(name))].join(","), ...lines].join("\n") + "\n";
}

/** Buttons for all of them; files are called as the page is. */
export function downloads(data: Data, stage: () => SVGSVGElement | null): HTMLElement {
  const own = decodeURIComponent(location.pathname.split("/").pop() ?? "").replace(/\.html?$/, "") || "motion";
  const button = (label: string, act: () => void) => {
    const element = html("button", { type: "button", class: "small" }, label);
    element.addEventListener("click", act);
    return element;
  };
  const drawing = stage();
  const model = document.querySelector("#model pre code");
  return html(
    "div",
    { class: "downloads", role: "group", "aria-label": "Downloads" },
    button("Numbers (CSV)", () => save(`${own}.csv`, "text/csv", table(data))),
    ...(drawing ? [button("Picture (SVG)", () => save(`${own}.svg`, "image/svg+xml", picture(drawing)))] : []),
    ...(model ? [button("Model (TOML)", () => save(`${own}.toml`, "text/plain", `${model.textContent ?? ""}\n`))] : []),
  );
}
