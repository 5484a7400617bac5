// The engine's own thread: the module gets a question in JSON, and answers in JSON.

interface Module {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  ask(): number;
  address(): number;
}

let engine: Promise<Module> | null = null;

function answer({ memory, reserve, ask, address }: Module, question: string): string {
  const bytes = new TextEncoder().encode(question);
  const at = reserve(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const length = ask();
  return new TextDecoder().decode(new Uint8Array(memory.buffer, address(), length));
}

/** First the compiled module, then questions. */
onmessage = async ({ data }: MessageEvent<WebAssembly.Module | { id: number; question: string }>) => {
  if (data instanceof WebAssembly.Module) {
    engine = WebAssembly.instantiate(data, {}).then(({ exports }) => exports as unknown as Module);
    return;
  }
  try {
    postMessage({ id: data.id, answer: answer(await engine!, data.question) });
  } catch (trap) {
    // Its memory may be in any state: the host ends this worker.
    postMessage({ id: data.id, trap: String(trap) });
  }
};
