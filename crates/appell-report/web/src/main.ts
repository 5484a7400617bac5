// Appell's page: brings motion, plots and equations to life. Everything it needs stands in the page.

import { Clock } from "./clock";
import type { Data } from "./data";
import { html } from "./dom";
import { copyFormulas, tabs } from "./equations";
import { player } from "./player";
import { PlotView } from "./plot";

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
  if (stage && data.scene) player(stage, data.scene, clock);
  document.querySelectorAll<HTMLElement>("figure.plot").forEach((figure, index) => {
    const plot = data.plots[index];
    if (plot) new PlotView(figure, plot, clock, index);
  });
  const equations = document.getElementById("equations");
  if (equations) {
    tabs(equations);
    copyFormulas(equations);
  }
  theme();
}

start();
