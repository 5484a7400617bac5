// Bytes as text: the engine in the page, models in addresses.

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Bytes that were deflated and written in Base64. */
export function inflated(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytesOf(base64), new DecompressionStream("deflate-raw"));
}

/** A text for an address: deflated, in the letters of RFC 4648, section 5. */
export async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text, unless it is longer than `most` characters. */
export async function unpacked(letters: string, most: number): Promise<string> {
  const bytes = bytesOf(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > most) throw new Error("the model in this address is too long");
  }
  return text;
}
