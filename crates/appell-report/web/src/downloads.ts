// Files from the page: the numbers, the picture, the model.

import type { Data } from "./data";
import { html, shown } from "./dom";
import { pixels, saved, scene } from "./pictures";

/** Everything that is plotted against the time, a column each. */
export function table({ times, plots }: Data): string {
  const quoted = (name: string) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const columns = plots.filter((plot) => plot.series.every(({ x }) => x === null)).flatMap((plot) => plot.series.map((series) => ({ name: series.label || plot.y || plot.title, y: series.y })));
  const lines = times.map((time, i) => [time, ...columns.map(({ y }) => y[i] ?? "")].join(","));
  return [["t", ...columns.map(({ name }) => quoted(name))].join(","), ...lines].join("\n") + "\n";
}

/** Buttons for all of them; files are called as the page is. */
export function downloads(data: Data, now: () => number, stage: () => SVGSVGElement | null): HTMLElement {
  const own = decodeURIComponent(location.pathname.split("/").pop() ?? "").replace(/\.html?$/, "") || "motion";
  const button = (label: string, act: () => void | Promise<void>) => {
    const element = html("button", { type: "button", class: "small" }, label);
    element.addEventListener("click", () => void act());
    return element;
  };
  const drawing = stage();
  const model = document.querySelector("#model pre code");
  const heading = document.querySelector("h1")?.textContent ?? "";
  const picture = () => scene(drawing!, `${heading}, t = ${shown(now(), 4)}`);
  const pictures = () => [
    button("Picture (SVG)", () => saved(`${own}.svg`, picture())),
    button("Picture (PNG)", async () => {
      const file = await pixels(picture());
      if (file) saved(`${own}.png`, file);
    }),
  ];
  return html(
    "div",
    { class: "downloads", role: "group", "aria-label": "Downloads" },
    button("Numbers (CSV)", () => saved(`${own}.csv`, new Blob([table(data)], { type: "text/csv" }))),
    ...(drawing ? pictures() : []),
    ...(model ? [button("Model (TOML)", () => saved(`${own}.toml`, new Blob([`${model.textContent ?? ""}\n`], { type: "text/plain" })))] : []),
  );
}
