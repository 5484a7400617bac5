export function answering(compiled: WebAssembly.Module): Promise<(question: string) => string>;
