// What the page of a report carries beside its content, as the tool writes it.

import { readFileSync } from "node:fs";

const report = (path) => readFileSync(new URL(`../../appell-report/web/${path}`, import.meta.url));

/** CSS alone, and the font of formulas as CSS. */
export const css = report("style.css").toString();
export const font = `@font-face{font-family:"Appell Math";src:url(data:font/woff2;base64,${report("font/mathematics.woff2").toString("base64")})}\n`;

/** `style` and `script` of a question for a `page`. */
export const assets = { style: font + css, script: report("page.js").toString() };
