// Tells what is under the pointer, a finger, or the mark that arrow keys move.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const svg = document.querySelector("svg");
const said = document.querySelector("output");
const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
mark.setAttribute("class", "mark");
svg.append(mark);
const [columns, rows] = [data.columns.length, data.rows.length];

/** The cell or dot nearest to a point of the drawing; none outside of the axes. */
function nearest(x, y) {
  const { left, top, right, bottom } = data.frame;
  if (x < left || x > right || y < top || y > bottom) return undefined;
  if (data.cells) {
    const within = (edges, at) => edges.findIndex((edge, i) => (edge[0] - at) * (edge[1] - at) <= 0);
    const [i, j] = [within(data.columns, x), within(data.rows, y)];
    return i < 0 || j < 0 ? undefined : j * columns + i;
  }
  let [best, least] = [undefined, 400];
  for (let i = 0; i < data.values.length; i++) {
    const away = (data.columns[i] - x) ** 2 + (data.rows[i] - y) ** 2;
    if (away < least) [best, least] = [i, away];
  }
  return best;
}

let at;
function show(place) {
  at = place;
  if (place === undefined) {
    mark.setAttribute("d", "");
    said.textContent = data.idle;
    return;
  }
  const [i, j] = data.cells ? [place % columns, Math.floor(place / columns)] : [place, place];
  const [x, y] = [data.columns[i], data.rows[j]];
  const box = data.cells ? [x[0], y[1], x[1] - x[0], y[0] - y[1]] : [x - 6, y - 6, 12, 12];
  mark.setAttribute("d", `M${box[0]} ${box[1]}h${box[2]}v${box[3]}h${-box[2]}z`);
  const value = data.values[place];
  const colour = value === null ? "none" : data.words ? data.words[value] : value;
  const parts = [[data.names[0], data.xs[i]], [data.names[1], data.ys[j]], [data.names[2], colour]];
  const texts = parts.map(([name, own]) => `${name}: ${own}`);
  said.textContent = [...texts, data.members[place]].filter((own) => own).join(";  ");
}

function follow(event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  show(nearest(place.x, place.y));
}
svg.addEventListener("pointermove", follow);
// A tap moves nothing.
svg.addEventListener("pointerdown", follow);
svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && show(undefined));
const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
svg.addEventListener("keydown", (event) => {
  const step = steps[event.key];
  if (event.key === "Escape") show(undefined);
  if (!step || data.values.length === 0) return;
  event.preventDefault();
  if (at === undefined) return show(0);
  if (!data.cells) return show((at + step[0] + step[1] + data.values.length) % data.values.length);
  const clamp = (own, most) => Math.min(Math.max(own, 0), most - 1);
  show(clamp(Math.floor(at / columns) + step[1], rows) * columns + clamp((at % columns) + step[0], columns));
});
show(undefined);
