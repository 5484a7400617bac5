// Motion, plots and equations of a document brought to life.

import { address } from "./address";
import { Clock } from "./clock";
import type { Data, Scene } from "./data";
import { downloads } from "./downloads";
import { copyFormulas, tabs } from "./equations";
import { explore, quantities } from "./explore";
import { unitOf } from "./names";
import { player } from "./player";
import { PlotView } from "./plot";
import type { Stage } from "./stage";
import { type PackedScene, unpacked } from "./tracks";

/** The plots of forces, which have their unit. */
const FORCES = "Constraint forces";

/** A motion on the page; none where nothing has a place. */
export interface Living {
  clock: Clock;
  stage: Stage | null;
}

/** The scene with its tracks, whether they are packed or not. */
export function sceneOf({ scene, times }: Data): Scene | null {
  return scene && "tracks" in scene ? unpacked(scene as unknown as PackedScene, times.length) : scene;
}

/** The player and the plots, until another motion takes their place. */
export function motion(data: Data, until: AbortSignal): Living {
  const clock = new Clock(data.times);
  const place = document.getElementById("player");
  const scene = sceneOf(data);
  const force = data.plots.find(({ title }) => title.startsWith(FORCES))?.units[1] ?? "";
  const stage = place && scene ? player(place, scene, clock, until, unitOf(force)) : null;
  const rates = new Map(quantities(data).map(({ name, values }) => [name, values]));
  document.querySelectorAll<HTMLElement>("figure.plot").forEach((figure, index) => {
    const plot = data.plots[index];
    if (!plot) return;
    const view = new PlotView(figure, plot, clock, index, (name) => rates.get(`${name}'`), data.nudges);
    until.addEventListener("abort", () => view.end());
  });
  const plots = document.querySelector<HTMLElement>(".plots");
  if (plots) explore(plots, data, clock, until);
  const files = downloads(data, () => clock.now, () => document.querySelector<SVGSVGElement>("svg.stage"));
  (document.querySelector(".panel") ?? document.querySelector("#plots"))?.append(files);
  const { time } = address();
  if (time !== null) clock.set(time);
  return { clock, stage };
}

/** The tabs of the forms; formulas that wait are in `late`. */
export function equations(late: string): void {
  const section = document.getElementById("equations");
  if (!section) return;
  tabs(section, late);
  copyFormulas(section);
}
