// One file that opens from a disk: node build.mjs MODULE.wasm PAGE.html

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { assets, css as page, font } from "./assets.mjs";
import { engine as answers } from "./engine.mjs";

/** Bytes of the engine as servers send it, compressed by Brotli. */
const LARGEST = 1_500_000;

const [module, out] = process.argv.slice(2);
const here = (path) => new URL(path, import.meta.url);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [here(entry).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  // What ends a script must not stand in one.
  return outputFiles[0].text.trimEnd().replaceAll("</script", "<\\/script");
}

/** The colours of the report's page alone. */
const colours = page.slice(0, page.indexOf("\n* {"));

/** The texts of a page with what stands for them, each name once. */
function filled(template, parts) {
  const names = new RegExp(`\\b(${Object.keys(parts).join("|")})\\b`, "g");
  return template.replace(names, (name) => parts[name]);
}

const text = (path) => readFileSync(here(path), "utf8");
const bytes = readFileSync(module);
const [script, early, worker, inside] = await Promise.all(["src/main.ts", "src/early.ts", "src/worker.ts", "src/frame.ts"].map(bundled));
// What is the same for every model need not be asked for again.
const ask = await answers(await WebAssembly.compile(bytes));
const told = JSON.stringify(Object.fromEntries(["gallery", "exercises", "vocabulary"].map((own) => [own, ask({ ask: own }).ok]))).replaceAll("<", "\\u003c");
const css = text("lab.css").replace("COLOURS", () => colours);
const style = font + page + text("frame.css");
const policy = [
  "default-src 'none'",
  `script-src ${hash(early)} ${hash(script)} ${hash(inside)} 'wasm-unsafe-eval' blob:`,
  `style-src ${hash(css)} ${hash(style)}`,
  "worker-src blob:",
  "font-src data:",
  "img-src data: blob:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
// A page within a script: what ends that, or opens another in it, is written otherwise, and back by the lab.
const frame = filled(text("frame.html"), { STYLE: style, SCRIPT: inside }).replaceAll("<script", "\\u003cscript").replaceAll("</script", "\\u003c/script");
const packed = (data) => deflateRawSync(data, { level: 9 }).toString("base64");
const html = filled(text("index.html"), { POLICY: policy, STYLE: css, FRAME: frame, WORKER: worker, ENGINE: packed(bytes), ASSETS: packed(JSON.stringify(assets)), EARLY: early, TOLD: told, SCRIPT: script });
writeFileSync(out, html);
// For others who ask the engine for a page.
writeFileSync(new URL("page.json", pathToFileURL(out)), JSON.stringify(assets));
const [brotli, gzip] = [brotliCompressSync(bytes).length, gzipSync(bytes, { level: 9 }).length];
console.error(`${out}: ${html.length} bytes; the engine ${brotli} by Brotli, ${gzip} by gzip`);
if (brotli > LARGEST) {
  console.error(`the engine has more than ${LARGEST} bytes`);
  process.exit(1);
}
