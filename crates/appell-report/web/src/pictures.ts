// Drawings of the page as files that stand by themselves, with their captions.

import { html, px, svg } from "./dom";

/** The properties that a picture has from the page's style, with what they are without any. */
const STYLES: Record<string, string> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-opacity": "1",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  visibility: "visible",
  display: "inline",
  "text-anchor": "start",
  "paint-order": "normal",
  "stop-color": "rgb(0, 0, 0)",
};
const FONT = ["font-family", "font-size", "font-style", "font-weight"];
const LINE = 20;
/** Pixels of a PNG for one of the screen. */
const FINE = 2;

export function saved(name: string, content: string | Blob): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type: "image/svg+xml" }) : content);
  html("a", { href: url, download: name.replace(/[\\/:*?"<>|\s]+/g, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A copy with the style that the page gives it, as far as it is seen. */
function standing(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const [from, to] = [[drawing, ...drawing.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const computed = getComputedStyle(element);
    const above = i > 0 ? getComputedStyle(element.parentElement!) : null;
    const names = ["text", "tspan"].includes(element.localName) ? [...Object.keys(STYLES), ...FONT] : Object.keys(STYLES);
    // By attributes of their own: the page's policy forbids styles, in what is made of it too.
    to[i]!.removeAttribute("style");
    for (const name of names) {
      const value = computed.getPropertyValue(name);
      const usual = value === STYLES[name] && (above?.getPropertyValue(name) ?? value) === value;
      if (!usual || to[i]!.hasAttribute(name)) to[i]!.setAttribute(name, value.replaceAll('"', "'"));
    }
  });
  for (const part of copy.querySelectorAll(".cursor, .pointer, .selection, .dot")) part.remove();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return copy;
}

const written = (drawing: SVGSVGElement) => new XMLSerializer().serializeToString(drawing);

/** Puts lines above a drawing. */
function raised(copy: SVGSVGElement, lines: SVGElement[][]): SVGSVGElement {
  const [, , wide, high] = (copy.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number) as [number, number, number, number];
  const by = LINE * lines.length + 8;
  const back = svg("rect", { x: 0, y: px(-by), width: px(wide), height: px(high + by), fill: getComputedStyle(document.body).getPropertyValue("--card").trim() || "white" });
  lines.forEach((line, i) => line.forEach((part) => part.setAttribute("transform", `translate(0 ${px(i * LINE - by + 18)})`)));
  copy.prepend(back, ...lines.flat());
  for (const [name, value] of Object.entries({ viewBox: `0 ${px(-by)} ${px(wide)} ${px(high + by)}`, width: px(wide), height: px(high + by) })) copy.setAttribute(name, value);
  return copy;
}

const words = (x: number, content: string, font: Record<string, string | number>) => svg("text", { x: px(x), y: 0, fill: getComputedStyle(document.body).color, ...font }, content);
const TITLE = { "font-family": "serif", "font-size": 15, "font-weight": 600 };
const LABEL = { "font-family": "sans-serif", "font-size": 13 };

/** A plot with its title and its legend. */
export function captioned(drawing: SVGSVGElement, figure: HTMLElement): string {
  const wide = Number(drawing.getAttribute("width"));
  const caption = figure.querySelector("figcaption > .title, figcaption")?.textContent ?? "";
  const lines: SVGElement[][] = [[words(8, caption, TITLE)]];
  let x = Infinity;
  for (const button of figure.querySelectorAll<HTMLElement>(".legend button[aria-pressed=true]")) {
    const sample = button.querySelector<SVGSVGElement>(".line");
    const name = button.textContent ?? "";
    const room = 44 + 7.2 * name.length;
    if (x + room > wide) [x] = [8, lines.push([])];
    if (sample) {
      const line = standing(sample).querySelector("path")!;
      lines[lines.length - 1]!.push(svg("svg", { x: px(x), y: -8, width: 30, height: 8 }, line));
    }
    lines[lines.length - 1]!.push(words(x + 36, name, LABEL));
    x += room;
  }
  for (const line of lines) {
    // A drawing within a drawing is moved by its place.
    const inner = line.filter((part) => part.localName === "svg");
    inner.forEach((part, i) => (line[line.indexOf(part)] = svg("g", { class: `s${i}` }, part)));
  }
  return written(raised(standing(drawing), lines));
}

/** The picture of the motion with a line that says what it is, and when. */
export function scene(drawing: SVGSVGElement, caption: string): string {
  return written(raised(standing(drawing), [[words(8, caption, TITLE)]]));
}

/** A drawing in pixels. */
export async function pixels(drawing: string): Promise<Blob | null> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
  await image.decode();
  const canvas = html("canvas", { width: FINE * image.width, height: FINE * image.height });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}
