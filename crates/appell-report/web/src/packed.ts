// Bytes as text.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  // A loop: millions of calls of a function take as long as all that follows.
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** What was deflated (RFC 1951) and written in Base64, to be read. */
export function inflating(base64: string): ReadableStream<Uint8Array> {
  return new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
}
