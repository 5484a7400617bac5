export interface Answering {
  answer(question: string): string;
  bytes(): number;
}
export function answering(compiled: WebAssembly.Module): Promise<Answering>;
