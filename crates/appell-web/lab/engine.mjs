// The engine outside a browser, for the build and the tests.

/** A function that answers questions; `compiled` is a `WebAssembly.Module`. */
export async function engine(compiled) {
  const { memory, reserve, ask, address } = (await WebAssembly.instantiate(compiled, {})).exports;
  return (question) => {
    const text = new TextEncoder().encode(JSON.stringify(question));
    // The memory may grow, and be another buffer then.
    const at = reserve(text.length);
    new Uint8Array(memory.buffer, at, text.length).set(text);
    const length = ask();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, address(), length)));
  };
}
