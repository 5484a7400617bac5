// The engine's own thread: the module gets a question in JSON, and answers in JSON.

import { type Answering, answering } from "../engine.mjs";

let engine: Promise<Answering> | null = null;

/** First the compiled module, then questions. */
onmessage = async ({ data }: MessageEvent<WebAssembly.Module | { id: number; question: string }>) => {
  if (data instanceof WebAssembly.Module) {
    engine = answering(data);
    return;
  }
  try {
    const { answer, bytes } = await engine!;
    postMessage({ id: data.id, answer: answer(data.question), bytes: bytes() });
  } catch (trap) {
    // Its memory may be in any state: the host ends this worker.
    postMessage({ id: data.id, trap: String(trap) });
  }
};
