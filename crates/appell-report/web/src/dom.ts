// Elements, always by their properties and text: never by markup.

type Attributes = Record<string, string | number | boolean>;

function filled<E extends Element>(element: E, attributes: Attributes, children: (Node | string)[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(name), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

export function set(element: Element, attributes: Attributes): void {
  filled(element, attributes, []);
}

/** A number for reading: seven digits, no trailing zeros. */
export function shown(x: number | null | undefined, digits = 7): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "undefined";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e6 || size < 1e-4 ? x.toExponential(digits - 1) : x.toPrecision(digits);
  const [mantissa, exponent] = text.split("e");
  const short = mantissa!.includes(".") ? mantissa!.replace(/\.?0+$/, "") : mantissa!;
  return (exponent === undefined ? short : `${short}e${exponent.replace("+", "")}`).replace("-", "−").replace("e-", "e−");
}

/** Long names are cut where they label something. */
export function clipped(name: string, most = 48): string {
  const letters = [...name];
  return letters.length <= most ? name : letters.slice(0, most - 1).join("") + "…";
}

/** A coordinate on the screen, short. */
export const px = (x: number): string => (Number.isFinite(x) ? (Math.round(x * 10) / 10).toString() : "0");
