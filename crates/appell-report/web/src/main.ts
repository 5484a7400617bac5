// Appell's page: brings motion, plots and equations to life. Everything it needs stands in the page.

import { address, standAlone } from "./address";
import type { Data } from "./data";
import { html } from "./dom";
import { equations, motion } from "./live";
import { scrollers } from "./scrollers";

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
  standAlone(address());
  const { clock } = motion(data, new AbortController().signal);
  addEventListener("hashchange", () => {
    const { alone, time } = address();
    if (alone !== null || document.documentElement.classList.contains("embedded")) standAlone(address());
    if (time !== null) clock.set(time);
  });
  equations(data.late ?? "");
  theme();
  scrollers(document);
}

start();
