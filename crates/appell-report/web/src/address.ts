// What the address says: a part of the page by itself, a time, a view.
// page.html#embed shows the motion alone, page.html#embed=plots the plots; &t=2.5 and &view=yaw,pitch,zoom go with both.

export interface Address {
  /** The section that stands alone, if one does. */
  alone: string | null;
  time: number | null;
  view: [number, number, number] | null;
}

export function address(hash = location.hash): Address {
  const entries = new Map(hash.slice(1).split("&").map((part) => part.split("=") as [string, string | undefined]));
  const numbers = (entries.get("view") ?? "").split(",").map(Number);
  const time = Number(entries.get("t") ?? NaN);
  return {
    // A frame without an address says it by an attribute.
    alone: entries.has("embed") ? (entries.get("embed") ?? "motion") : (document.documentElement.dataset["embed"] ?? null),
    time: Number.isFinite(time) ? time : null,
    view: numbers.length === 3 && numbers.every(Number.isFinite) ? (numbers as [number, number, number]) : null,
  };
}

/** Writes a time and a view into the address. */
export function remember(time: number, view: [number, number, number]): string {
  const alone = address().alone;
  const first = alone === null ? "motion" : `embed=${alone}`;
  const short = (x: number) => String(Number(x.toPrecision(6)));
  const hash = `#${first}&t=${short(time)}&view=${view.map(short).join(",")}`;
  history.replaceState(null, "", hash);
  return location.href;
}

/** Leaves one section of the page; what the hash names otherwise is shown as usual. */
export function standAlone({ alone }: Address): void {
  const section = alone === null ? null : document.getElementById(alone);
  document.documentElement.classList.toggle("embedded", section !== null);
  for (const other of document.querySelectorAll("main > section")) other.classList.toggle("alone", other === section);
  if (section) return;
  // A section with a time behind it is no anchor for the browser.
  const first = /^#(\w+)&/.exec(location.hash)?.[1];
  if (first) document.getElementById(first)?.scrollIntoView();
}
