// The player: a stage with its controls.

import { address, remember } from "./address";
import type { Clock } from "./clock";
import type { Scene } from "./data";
import { clipped, html, set, shown, svg } from "./dom";
import { readable } from "./names";
import { Stage, colour } from "./stage";

const SPEEDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
/** A motion shall last about so many seconds on the screen. */
const PLEASANT = 9;
/** Four corners, for the whole screen. */
const CORNERS = "M1 5V1H5M9 1H13V5M13 9V13H9M5 13H1V9";
const PLAY = "▶";
const PAUSE = "❚❚";

/** Until the signal: then another motion takes its place. Forces are in this unit, if it is known. */
export function player(root: HTMLElement, scene: Scene, clock: Clock, until: AbortSignal, force: string): Stage {
  const stage = new Stage(scene, clock);
  const { view: wanted } = address();
  if (wanted) {
    [stage.camera.yaw, stage.camera.pitch, stage.camera.zoom] = wanted;
    stage.camera.turn();
  }
  const view = html("div", { class: "view", tabindex: 0, role: "group" }, stage.element);
  set(view, {
    "aria-label": scene.plane
      ? "The motion. Plus and minus zoom."
      : "The motion in space. Arrow keys turn it, plus and minus zoom.",
  });
  set(stage.element, { "aria-label": `Picture of the motion${scene.plane ? " in its plane" : " in space"}` });
  const redraw = () => stage.draw();
  // The controls may take two lines.
  const below = () => view.parentElement?.querySelector<HTMLElement>(".controls")?.offsetHeight ?? 0;
  const refit = () => {
    const width = Math.max(240, view.clientWidth);
    // The controls stand above the fold; in a frame or on the whole screen the picture fills what there is.
    const top = view.getBoundingClientRect().top + scrollY;
    const whole = document.fullscreenElement !== null || document.documentElement.classList.contains("embedded");
    const room = innerHeight - (whole ? Math.max(72, below() + 16) : Math.min(top, 0.45 * innerHeight) + 66);
    stage.fit(width, whole ? Math.max(160, room) : Math.min(620, Math.max(300, 0.64 * width), Math.max(300, room)));
    redraw();
  };
  const panel = html("div", { class: "panel" }, ...toggles(scene, stage, force, redraw, refit));
  const theatre = html("div", { class: "theatre" }, view, viewButtons(stage, clock, refit, redraw), controls(clock, until));
  const poses = html("div", { class: "poses" });
  const whole = html("div", { class: "player" }, theatre, poses, panel);
  root.replaceChildren(whole);
  turning(view, stage, redraw, refit);
  keyboard(theatre, until);
  printing(whole, poses, stage, clock, until);
  document.addEventListener("fullscreenchange", refit, { signal: until });
  // What is out of sight is not drawn while the motion plays.
  let seen = true;
  const sight = new IntersectionObserver((entries) => {
    seen = entries.some((entry) => entry.isIntersecting);
    if (seen) redraw();
  });
  sight.observe(view);
  clock.listen(() => {
    if (seen || !clock.runs) redraw();
  });
  const size = new ResizeObserver(refit);
  size.observe(view);
  until.addEventListener("abort", () => (sight.disconnect(), size.disconnect()));
  refit();
  return stage;
}

/** Play, time, speed. */
function controls(clock: Clock, until: AbortSignal): HTMLElement {
  const play = html("button", { type: "button", class: "play", "aria-label": "Play" }, PLAY);
  const low = Math.min(clock.first, clock.last);
  const range = html("input", {
    type: "range",
    "aria-label": "Time",
    min: low,
    max: Math.max(clock.first, clock.last),
    step: Math.abs(clock.span) / 1000 || 1,
  });
  const time = html("output", { class: "time" });
  const wanted = Math.abs(clock.span) / PLEASANT;
  const usual = SPEEDS.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best), 1);
  const speed = html(
    "select",
    { "aria-label": "Speed" },
    ...SPEEDS.map((value) => html("option", { value, selected: value === usual }, `${value} ×`)),
  );
  let [playing, before, loops] = [false, 0, false];
  const show = () => {
    if (clock.runs !== playing) {
      clock.runs = playing;
      clock.set(clock.now);
    }
    play.textContent = playing ? PAUSE : PLAY;
    set(play, { "aria-label": playing ? "Pause" : "Play" });
  };
  const frame = (stamp: number) => {
    if (!playing || until.aborted) return;
    const seconds = before === 0 ? 0 : Math.min(0.1, (stamp - before) / 1000);
    before = stamp;
    clock.set(clock.now + Math.sign(clock.span) * seconds * Number(speed.value));
    if (clock.now === clock.last && loops) clock.set(clock.first);
    else if (clock.now === clock.last) {
      playing = false;
      show();
      return;
    }
    requestAnimationFrame(frame);
  };
  const toggle = () => {
    playing = !playing && clock.span !== 0;
    if (playing && clock.now === clock.last) clock.set(clock.first);
    before = 0;
    show();
    if (playing) requestAnimationFrame(frame);
  };
  play.addEventListener("click", toggle);
  range.addEventListener("input", () => clock.set(Number(range.value)));
  const follow = () => {
    range.value = String(clock.now);
    const label = `t = ${clock.now.toFixed(Math.abs(clock.span) < 20 ? 3 : 2)}`;
    time.textContent = label;
    set(range, { "aria-valuetext": label });
  };
  clock.listen(follow);
  follow();
  const step = (by: number) => () => {
    if (playing) toggle();
    const next = Math.min(clock.times.length - 1, Math.max(0, clock.nearest() + by));
    clock.set(clock.times[next] ?? clock.now);
  };
  const button = (label: string, text: string, keys: string, act: () => void) => {
    const element = html("button", { type: "button", "aria-label": label, title: `${label} (${keys})`, "aria-keyshortcuts": keys }, text);
    element.addEventListener("click", act);
    return element;
  };
  const loop = button("Play again and again", "↻", "L", () => {
    loops = !loops;
    set(loop, { "aria-pressed": String(loops) });
  });
  set(loop, { "aria-pressed": "false" });
  const steps = html("div", { class: "steps" }, button("One frame back", "‹", ",", step(-1)), button("One frame on", "›", ".", step(1)), loop);
  return html("div", { class: "controls" }, play, range, time, steps, speed);
}

/** Space plays, comma and point step, L loops, F fills the screen: wherever nothing else wants the key. */
function keyboard(theatre: HTMLElement, until: AbortSignal): void {
  const press = (selector: string) => theatre.querySelector<HTMLElement>(selector)?.click();
  const keys: Record<string, () => void> = {
    " ": () => press(".play"),
    ",": () => press('[aria-keyshortcuts=","]'),
    ".": () => press('[aria-keyshortcuts="."]'),
    l: () => press('[aria-keyshortcuts="L"]'),
    f: () => press('[aria-keyshortcuts="F"]'),
  };
  const pressed = (event: KeyboardEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    const busy = target?.closest("button, select, textarea, summary, a, [role=tab]") || (target?.closest("input") && event.key !== " ");
    const act = keys[event.key.toLowerCase()];
    if (!act || busy || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  document.addEventListener("keydown", pressed, { signal: until });
}

/** On paper stand five poses of the motion, and what is folded on the screen. */
function printing(player: HTMLElement, poses: HTMLElement, stage: Stage, clock: Clock, until: AbortSignal): void {
  const opened: HTMLDetailsElement[] = [];
  const before = () => {
    const now = clock.now;
    const pictures = [0, 0.25, 0.5, 0.75, 1].map((part) => {
      clock.set(clock.first + part * clock.span);
      const picture = stage.element.cloneNode(true) as SVGSVGElement;
      picture.removeAttribute("width");
      picture.removeAttribute("height");
      return html("figure", {}, picture, html("figcaption", {}, `t = ${shown(clock.now, 4)}`));
    });
    clock.set(now);
    poses.replaceChildren(...pictures);
    player.classList.add("posed");
    for (const details of document.querySelectorAll("details")) {
      if (!details.open) opened.push(details);
      details.open = true;
    }
  };
  const after = () => {
    poses.replaceChildren();
    player.classList.remove("posed");
    for (const details of opened.splice(0)) details.open = false;
  };
  addEventListener("beforeprint", before, { signal: until });
  addEventListener("afterprint", after, { signal: until });
}

/** Buttons over the picture. */
function viewButtons(stage: Stage, clock: Clock, refit: () => void, redraw: () => void): HTMLElement {
  const button = (label: string, text: string, act: () => void) => {
    const element = html("button", { type: "button", "aria-label": label, title: label }, text);
    element.addEventListener("click", act);
    return element;
  };
  const zoom = (by: number) => () => {
    stage.camera.zoom = Math.min(60, Math.max(0.1, stage.camera.zoom * by));
    redraw();
  };
  return html(
    "div",
    { class: "view-buttons" },
    button("Zoom in", "+", zoom(1.25)),
    button("Zoom out", "−", zoom(0.8)),
    button("Reset the view", "⟲", () => {
      stage.camera.zoom = 1;
      [stage.camera.yaw, stage.camera.pitch] = [-0.62, 0.42];
      stage.camera.turn();
      refit();
    }),
    button("Put this view and time into the address", "#", () => {
      const { yaw, pitch, zoom } = stage.camera;
      void navigator.clipboard?.writeText(remember(clock.now, [yaw, pitch, zoom])).catch(() => undefined);
    }),
    ...(document.fullscreenEnabled ? [fullscreen()] : []),
  );
}

function fullscreen(): HTMLElement {
  const label = "Fill the screen";
  const button = html("button", { type: "button", "aria-label": label, title: `${label} (F)`, "aria-keyshortcuts": "F" }, svg("svg", { width: 14, height: 14, "aria-hidden": true }, svg("path", { d: CORNERS, class: "icon" })));
  button.addEventListener("click", () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void button.closest(".theatre")?.requestFullscreen();
  });
  return button;
}

/** Two fingers: apart and together zoom, up and down tilt. One finger turns, and scrolls the page. */
function fingers(view: HTMLElement, zoom: (by: number) => void, tilt: (pixels: number) => void): () => boolean {
  let before: { apart: number; high: number } | null = null;
  const pose = ({ touches: [a, b] }: TouchEvent) => ({
    apart: Math.hypot(a!.clientX - b!.clientX, a!.clientY - b!.clientY),
    high: (a!.clientY + b!.clientY) / 2,
  });
  const move = (event: TouchEvent) => {
    if (event.touches.length !== 2) {
      before = null;
      return;
    }
    event.preventDefault();
    const now = pose(event);
    if (before && before.apart > 0 && now.apart > 0) {
      zoom(now.apart / before.apart);
      tilt(now.high - before.high);
    }
    before = now;
  };
  for (const name of ["touchstart", "touchmove", "touchend", "touchcancel"] as const) view.addEventListener(name, move, { passive: false });
  return () => before !== null;
}

/** By hand and by keys. */
function turning(view: HTMLElement, stage: Stage, redraw: () => void, refit: () => void): void {
  const { camera } = stage;
  const turn = (yaw: number, pitch: number) => {
    if (camera.plane) return;
    camera.yaw += yaw;
    camera.pitch = Math.min(1.55, Math.max(-0.3, camera.pitch + pitch));
    camera.turn();
    redraw();
  };
  const scale = (by: number) => {
    camera.zoom = Math.min(60, Math.max(0.1, camera.zoom * by));
    redraw();
  };
  const two = fingers(view, scale, (pixels) => turn(0, 0.008 * pixels));
  let last: [number, number] | null = null;
  view.addEventListener("pointerdown", (event) => {
    last = [event.clientX, event.clientY];
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointermove", (event) => {
    if (!last || two()) return;
    turn(-0.008 * (event.clientX - last[0]), 0.008 * (event.clientY - last[1]));
    last = [event.clientX, event.clientY];
  });
  for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, () => (last = null));
  view.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      scale(Math.exp(-0.004 * event.deltaY));
    },
    { passive: false },
  );
  const keys: Record<string, () => void> = {
    ArrowLeft: () => turn(-0.08, 0),
    ArrowRight: () => turn(0.08, 0),
    ArrowUp: () => turn(0, 0.08),
    ArrowDown: () => turn(0, -0.08),
    "+": () => scale(1.15),
    "-": () => scale(1 / 1.15),
    "0": () => ((camera.zoom = 1), refit()),
  };
  view.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const nudges = event.shiftKey && event.key.startsWith("Arrow");
    if (!act || nudges || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
}

/** Checkboxes: one for each constraint, one for each other vector, then what else is drawn. */
function toggles(scene: Scene, stage: Stage, force: string, redraw: () => void, refit: () => void): HTMLElement[] {
  const box = (label: string, on: boolean, act: (on: boolean) => void, hue = "", why = "") => {
    const input = html("input", { type: "checkbox", checked: on, disabled: why !== "" });
    input.addEventListener("change", () => {
      act(input.checked);
      redraw();
    });
    const swatch = hue === "" || why !== "" ? [] : [html("i", { class: `swatch ${hue}`, "aria-hidden": true })];
    const reason = why === "" ? [] : [html("small", {}, why)];
    return { input, element: html("label", {}, input, ...swatch, html("span", {}, clipped(readable(label)), ...reason)) };
  };
  const arrows = (index: number) => stage.arrows.filter((view) => view.arrow.toggle === index);
  const groups: [HTMLElement[], HTMLElement[]] = [[], []];
  scene.toggles.forEach((toggle, index) => {
    const show = (on: boolean) => arrows(index).forEach((view) => view.show(on));
    const { input, element } = box(toggle.label, toggle.on, show, colour(scene, index), toggle.why);
    if (toggle.constraint) input.dataset["constraint"] = toggle.label;
    show(toggle.on);
    groups[toggle.constraint ? 0 : 1].push(element);
  });
  const fieldset = (legend: string, content: HTMLElement[]) =>
    content.length > 0 ? [html("fieldset", {}, html("legend", {}, legend), ...content)] : [];
  const drawn: HTMLElement[] = [];
  if (scene.trails.length > 0) drawn.push(box("Trails", true, (on) => (stage.trails = on)).element);
  if (scene.marks.length > 0 || scene.shapes.some(({ label }) => label !== "")) drawn.push(box("Names", true, (on) => (stage.names = on)).element);
  const follow = box("Follow the motion", stage.follow, (on) => {
    stage.follow = on;
    refit();
  });
  drawn.push(follow.element);
  const longest = scene.arrows.some((arrow) => arrow.kind === "force") ? [...strongest(scene, force), lengths(stage, redraw)] : [];
  return [
    ...fieldset("Constraint forces", [...groups[0], ...longest]),
    ...fieldset("Other vectors", groups[1]),
    ...fieldset("View", drawn),
  ];
}

/** How long forces are drawn. */
function lengths(stage: Stage, redraw: () => void): HTMLElement {
  const factors = [0.25, 0.5, 1, 2, 4];
  const select = html(
    "select",
    { class: "small", "aria-label": "Length of force arrows" },
    ...factors.map((factor) => html("option", { value: factor, selected: factor === 1 }, `${factor} ×`)),
  );
  let now = 1;
  select.addEventListener("change", () => {
    stage.lengthen(Number(select.value) / now);
    now = Number(select.value);
    redraw();
  });
  return html("label", { class: "lengths" }, html("span", {}, "Length of arrows"), select);
}

/** What the length of an arrow means. */
function strongest(scene: Scene, unit: string): HTMLElement[] {
  let most = 0;
  for (const arrow of scene.arrows.filter((arrow) => arrow.kind === "force")) {
    for (let i = 0; 3 * i < arrow.vector.length; i++) {
      const [x, y, z] = [0, 1, 2].map((k) => arrow.vector[3 * i + k] ?? 0);
      most = Math.max(most, Math.hypot(x!, y!, z!));
    }
  }
  return most > 0 ? [html("p", { class: "hint" }, `Largest force: ${shown(most, 4)} ${unit}`.trim())] : [];
}
