// Bytes as text.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/** What was deflated (RFC 1951) and written in Base64, to be read. */
export function inflating(base64: string): ReadableStream<Uint8Array> {
  return new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
}
