// What a plot says of itself: names and units of its axes, marks that can be told apart, a legend without doubles.

/** Names of letters that are to stand as letters. */
const GREEK = /(^|[^a-z_])(alpha|beta|gamma|delta|theta|lambda|omega|sigma|epsilon|varphi|phi|psi|rho|mu)(?![a-z_])/i;

export async function labelled(page, data, counts) {
  const found = await page.evaluate(() => {
    const box = (element) => (({ left, right, top, bottom }) => [left, right, top, bottom])(element.getBoundingClientRect());
    return [...document.querySelectorAll("figure.plot[data-plot]")].map((figure) => ({
      index: figure.dataset.plot,
      caption: figure.querySelector("figcaption")?.textContent.trim() ?? "",
      picture: box(figure.querySelector(".area svg")),
      ticks: [...figure.querySelectorAll(".area .tick:not(.nudge-name)")].map((own) => ({ text: own.textContent, box: box(own), across: own.classList.contains("middle") })),
      labels: [...figure.querySelectorAll(".area .label")].map((own) => ({ text: own.textContent, box: box(own) })),
      legend: [...figure.querySelectorAll(".legend button")].map((own) => own.textContent.trim()),
    }));
  });
  const faults = data.plots.length > 0 && found.length < data.plots.length ? [`${found.length} plots are drawn, not ${data.plots.length}`] : [];
  for (const figure of found) {
    const plot = data.plots[Number(figure.index)];
    const own = [...drawn(figure), ...(plot ? told(figure, plot) : [])];
    faults.push(...own.map((fault) => `plot "${figure.caption}": ${fault}`));
    counts.labelled += 1;
  }
  return [...faults, ...rates(data)].slice(0, 6);
}

const meet = (a, b) => Math.min(a[1], b[1]) - Math.max(a[0], b[0]) > 0.5 && Math.min(a[3], b[3]) - Math.max(a[2], b[2]) > 2.5;
/** A text's box has room above and below its letters, in Firefox a fifth of it. */
const inside = (a, b) => {
  const room = 0.2 * (a[3] - a[2]);
  return a[0] >= b[0] - 1 && a[1] <= b[1] + 1 && a[2] >= b[2] - room && a[3] <= b[3] + room;
};
const value = (text) => {
  const plain = text.replaceAll("−", "-").replace(/(·?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/, (_, dot, digits) => `${dot ? "" : "1"}e${[...digits].map((own) => (own === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(own))).join("")}`);
  return Number(plain.replace(/·10$/, "e1"));
};

/** Marks stand in order, each with its own number, none on another or outside the picture. */
function drawn({ caption, picture, ticks, labels }) {
  const faults = caption === "" ? ["no caption"] : [];
  for (const across of [true, false]) {
    const own = ticks.filter((tick) => tick.across === across).sort((a, b) => (across ? a.box[0] - b.box[0] : b.box[2] - a.box[2]));
    const values = own.map(({ text }) => value(text));
    const axis = across ? "the horizontal axis" : "the vertical axis";
    if (own.length < 2) faults.push(`${own.length} marks on ${axis}`);
    if (values.some((x, i) => !Number.isFinite(x) || (i > 0 && !(x > values[i - 1])))) faults.push(`marks on ${axis}: ${own.map(({ text }) => text).join(", ")}`);
    own.forEach((tick, i) => i > 0 && meet(tick.box, own[i - 1].box) && faults.push(`marks on ${axis} overlap: ${own[i - 1].text}, ${tick.text}`));
  }
  for (const { text, box } of [...ticks, ...labels]) if (!inside(box, picture)) faults.push(`"${text}" is cut off`);
  for (const label of labels) for (const tick of ticks) if (meet(label.box, tick.box)) faults.push(`"${label.text}" stands on "${tick.text}"`);
  return faults;
}

/** Each axis has its name and its unit, each curve its own name. */
function told({ labels, legend }, plot) {
  const faults = [];
  const [across, up] = [labels[0]?.text ?? "", labels[1]?.text ?? ""];
  for (const [axis, text, unit, name] of [["horizontal", across, plot.units[0], plot.x], ["vertical", up, plot.units[1], plot.series.length === 1 ? plot.y || plot.series[0].label : plot.y]]) {
    if (unit !== "" && !text.endsWith(`in ${unit}`)) faults.push(`the ${axis} axis says "${text}", not its unit ${unit}`);
    if (/[\^*]/.test(unit)) faults.push(`a unit as it is typed: ${unit}`);
    const bare = unit === "" ? text : text.slice(0, -`in ${unit}`.length).trim();
    if ((bare === "") !== (name === "")) faults.push(`the ${axis} axis is named "${bare}", not after ${name}`);
    if (GREEK.test(bare)) faults.push(`a letter is spelt out: "${bare}"`);
  }
  if (plot.series.length > 1 && legend.length !== plot.series.length) faults.push(`${legend.length} names for ${plot.series.length} curves`);
  if (legend.some((name, i) => name === "" || legend.indexOf(name) !== i)) faults.push(`a name is missing or there twice: ${legend.join(", ")}`);
  if (legend.some((name) => GREEK.test(name))) faults.push(`a letter is spelt out: ${legend.join(", ")}`);
  const pens = plot.series.map(({ pen }) => pen.join());
  if (new Set(pens).size !== pens.length) faults.push("two curves look alike");
  return faults;
}

/** The unit of x' is that of x by that of the time: said twice in the data, by plots that do not know of each other. */
function rates({ plots }) {
  const units = new Map();
  for (const { series, y, units: [, unit] } of plots) for (const { label } of series) units.set(label || y, unit);
  const time = plots.find(({ x }) => x === "t")?.units[0] ?? "";
  const faults = [];
  for (const [name, unit] of units) {
    const rate = units.get(`${name}'`);
    if (!unit || !rate || !time) continue;
    const wanted = unit === "1" ? [`1/${time}`] : [`${unit}/${time}`, `${unit}·${time}⁻¹`];
    if (/^[\p{L}]+$/u.test(unit) && !wanted.includes(rate)) faults.push(`${name}' is in ${rate}, but ${name} in ${unit} and the time in ${time}`);
  }
  return faults;
}
