// The engine: questions and answers in JSON through one buffer of the module's memory.

/** `answer`, a function from questions to answers, both texts, and how many `bytes` it takes; `compiled` is a `WebAssembly.Module`. */
export async function answering(compiled) {
  const { memory, reserve, ask, address } = (await WebAssembly.instantiate(compiled, {})).exports;
  const answer = (question) => {
    const text = new TextEncoder().encode(question);
    // The memory may grow, and be another buffer then.
    const at = reserve(text.length);
    new Uint8Array(memory.buffer, at, text.length).set(text);
    const length = ask();
    return new TextDecoder().decode(new Uint8Array(memory.buffer, address(), length));
  };
  return { answer, bytes: () => memory.buffer.byteLength };
}

/** The same for objects. */
export async function engine(compiled) {
  const { answer } = await answering(compiled);
  return (question) => JSON.parse(answer(JSON.stringify(question)));
}
