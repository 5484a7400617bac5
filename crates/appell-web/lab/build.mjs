// One file that opens from a disk: node build.mjs MODULE.wasm PAGE.html

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { engine } from "./engine.mjs";

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

/** The policy of a page that the engine writes: the frame that shows it is under ours as well. */
async function pagePolicy(bytes) {
  const answers = await engine(await WebAssembly.compile(bytes));
  const ask = (question) => answers(question).ok;
  const model = ask({ ask: "gallery" }).find(({ name }) => name === "skate");
  const { html } = ask({ ask: "page", text: model.text });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
  const named = (what) => new RegExp(`${what} ('sha256-[^']*')`).exec(policy)[1];
  return { style: named("style-src"), script: named("script-src") };
}

/** The colours of the report's page are ours. */
function style() {
  const css = readFileSync(here("../../appell-report/web/style.css"), "utf8");
  const colours = css.slice(0, css.indexOf("\n* {"));
  return readFileSync(here("lab.css"), "utf8").replace("COLOURS", () => colours);
}

const bytes = readFileSync(module);
const [script, worker, page] = [await bundled("src/main.ts"), await bundled("src/worker.ts"), await pagePolicy(bytes)];
const css = style();
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} ${page.script} 'wasm-unsafe-eval' blob:`,
  `style-src ${hash(css)} ${page.style}`,
  "worker-src blob:",
  "font-src data:",
  "img-src data: blob:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = { POLICY: policy, STYLE: css, WORKER: worker, ENGINE: deflateRawSync(bytes, { level: 9 }).toString("base64"), SCRIPT: script };
const html = readFileSync(here("index.html"), "utf8").replace(/\b(POLICY|STYLE|WORKER|ENGINE|SCRIPT)\b/g, (word) => parts[word]);
writeFileSync(out, html);
const [brotli, gzip] = [brotliCompressSync(bytes).length, gzipSync(bytes, { level: 9 }).length];
console.error(`${out}: ${html.length} bytes; the engine ${brotli} by Brotli, ${gzip} by gzip`);
if (brotli > LARGEST) {
  console.error(`the engine has more than ${LARGEST} bytes`);
  process.exit(1);
}
