// What begins before the page is read to its end: the engine is compiled beside that, in threads of the browser's own.

import { inflating } from "../../../appell-report/web/src/packed";

declare global {
  interface Window {
    /** The engine that is being compiled. */
    engine?: Promise<WebAssembly.Module>;
  }
}

const packed = document.getElementById("engine")!.textContent ?? "";
const bytes = new Response(inflating(packed), { headers: { "content-type": "application/wasm" } });
window.engine = WebAssembly.compileStreaming(bytes);
// Whoever waits for it hears of it.
window.engine.catch(() => undefined);
