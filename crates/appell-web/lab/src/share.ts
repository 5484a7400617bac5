// The address holds the model: lab.html#gallery/skate, or #1,.. with the text and the parameters; #embed/ before either shows the motion alone. It is
// never sent to a server.

import { packed, unpacked } from "./packed";

export interface Shared {
  text: string;
  /** Values of parameters other than the file's. */
  parameters: Record<string, number>;
}

const VERSION = "1,";
/** Characters of a model in an address. */
const MOST = 200_000;

export async function addressOf(shared: Shared): Promise<string> {
  return `#${VERSION}${await packed(JSON.stringify(shared))}`;
}

const EMBED = "embed/";

/** Whether the address asks for the motion alone. */
export const isEmbedded = (hash: string): boolean => hash.slice(1).startsWith(EMBED);

/** What an address says; `null` for nothing.
 *
 * Throws a sentence for an address that is damaged. */
export async function read(hash: string, gallery: Map<string, string>): Promise<Shared | null> {
  const said = isEmbedded(hash) ? hash.slice(1 + EMBED.length) : hash.slice(1);
  if (said === "") return null;
  if (said.startsWith("gallery/")) {
    const name = decodeURIComponent(said.slice("gallery/".length));
    const text = gallery.get(name);
    if (text === undefined) throw new Error(`The gallery has no model \`${name}\`.`);
    return { text, parameters: {} };
  }
  if (!said.startsWith(VERSION)) throw new Error("This address is of another version of the lab.");
  try {
    const shared = JSON.parse(await unpacked(said.slice(VERSION.length), MOST)) as Partial<Shared>;
    const parameters = Object.entries(shared.parameters ?? {}).filter(([, value]) => Number.isFinite(value));
    if (typeof shared.text === "string") return { text: shared.text, parameters: Object.fromEntries(parameters) };
  } catch {
    // Said below.
  }
  throw new Error("The model in this address is damaged: was it copied whole?");
}
