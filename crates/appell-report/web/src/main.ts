// Appell's page: brings motion, plots and equations to life. Everything it needs stands in the page.

import { address, standAlone } from "./address";
import { Clock } from "./clock";
import type { Data } from "./data";
import { html } from "./dom";
import { downloads } from "./downloads";
import { copyFormulas, tabs } from "./equations";
import { explore, quantities } from "./explore";
import { player } from "./player";
import { PlotView } from "./plot";
import { scrollers } from "./scrollers";
import { type PackedScene, unpacked } from "./tracks";

function theme(): void {
  const root = document.documentElement;
  const dark = () => (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = html("button", { type: "button", class: "small theme" });
  const label = () => (button.textContent = dark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    root.dataset["theme"] = dark() ? "light" : "dark";
    label();
  });
  label();
  document.querySelector("nav")?.append(button);
}

function start(): void {
  const data = JSON.parse(document.getElementById("data")?.textContent ?? "{}") as Data;
  const clock = new Clock(data.times);
  const stage = document.getElementById("player");
  standAlone(address());
  addEventListener("hashchange", () => {
    const { alone, time } = address();
    if (alone !== null || document.documentElement.classList.contains("embedded")) standAlone(address());
    if (time !== null) clock.set(time);
  });
  if (stage && data.scene) player(stage, unpacked(data.scene as unknown as PackedScene, data.times.length), clock);
  const rates = new Map(quantities(data).map(({ name, values }) => [name, values]));
  document.querySelectorAll<HTMLElement>("figure.plot").forEach((figure, index) => {
    const plot = data.plots[index];
    if (plot) new PlotView(figure, plot, clock, index, (name) => rates.get(`${name}'`));
  });
  const plots = document.querySelector<HTMLElement>(".plots");
  if (plots) explore(plots, data, clock);
  const files = downloads(data, () => clock.now, () => document.querySelector<SVGSVGElement>("svg.stage"));
  (document.querySelector(".panel") ?? document.querySelector("#plots"))?.append(files);
  const { time } = address();
  if (time !== null) clock.set(time);
  const equations = document.getElementById("equations");
  if (equations) {
    tabs(equations, data.late ?? "");
    copyFormulas(equations);
  }
  theme();
  scrollers(document);
}

start();
