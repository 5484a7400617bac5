// Models in addresses: deflated, in the letters of RFC 4648, section 5.

import { inflating } from "../../../appell-report/web/src/packed";

export async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text, unless it is longer than `most` characters. */
export async function unpacked(letters: string, most: number): Promise<string> {
  const reader = inflating(letters.replaceAll("-", "+").replaceAll("_", "/")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length <= most) continue;
    // Little letters may hold much: the rest is not inflated.
    void reader.cancel().catch(() => undefined);
    throw new Error("the model in this address is too long");
  }
  return text;
}
