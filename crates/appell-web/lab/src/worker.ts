// The engine's own thread: the module gets a question in JSON, and answers in JSON.

import { type Answering, answering } from "../engine.mjs";

let begin: (module: WebAssembly.Module) => void = () => undefined;
const engine: Promise<Answering> = new Promise<WebAssembly.Module>((done) => (begin = done)).then(answering);

/** Once the compiled module, and questions, which wait for it. */
onmessage = async ({ data }: MessageEvent<WebAssembly.Module | { id: number; question: string }>) => {
  if (data instanceof WebAssembly.Module) {
    begin(data);
    return;
  }
  try {
    const { answer, bytes } = await engine;
    postMessage({ id: data.id, answer: answer(data.question), bytes: bytes() });
  } catch (trap) {
    // Its memory may be in any state: the host ends this worker.
    postMessage({ id: data.id, trap: String(trap) });
  }
};
