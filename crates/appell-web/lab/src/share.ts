// The address holds the model: lab.html#gallery/skate, #exercise/skate, or #1,.. with the text and the parameters;
// #embed/ before any of them shows the motion alone, with the questions of an exercise. It is never sent to a server.

import { packed, unpacked } from "./packed";

export interface Shared {
  text: string;
  /** Values of parameters other than the file's. */
  parameters: Record<string, number>;
}

const VERSION = "1,";
/** Characters of a text in an address, and of that deflated. */
const MOST = 200_000;
const LONGEST = 300_000;
/** More parameters have no sliders. */
const PARAMETERS = 5000;

export async function addressOf(shared: Shared): Promise<string> {
  return `#${VERSION}${await packed(JSON.stringify(shared))}`;
}

const EMBED = "embed/";

/** Whether the address asks for the motion alone. */
export const isEmbedded = (hash: string): boolean => hash.slice(1).startsWith(EMBED);

/** Texts by their names. */
export interface Shelves {
  gallery: Map<string, string>;
  exercise: Map<string, string>;
}

/** What stands behind a name; damaged escapes are no name. */
function named(said: string): { shelf: keyof Shelves; name: string } | null {
  const found = /^(gallery|exercise)\/(.*)$/s.exec(said);
  if (!found) return null;
  const [, shelf, name] = found;
  try {
    return { shelf: shelf as keyof Shelves, name: decodeURIComponent(name!) };
  } catch {
    return { shelf: shelf as keyof Shelves, name: name! };
  }
}

/** What an address says; `null` for nothing.
 *
 * Throws a sentence for an address that is damaged. */
export async function read(hash: string, shelves: Shelves): Promise<Shared | null> {
  const said = isEmbedded(hash) ? hash.slice(1 + EMBED.length) : hash.slice(1);
  if (said === "") return null;
  const own = named(said);
  if (own) {
    const text = shelves[own.shelf].get(own.name);
    const shown = own.name.slice(0, 60);
    if (text === undefined) throw new Error(own.shelf === "gallery" ? `The gallery has no model \`${shown}\`.` : `There is no exercise \`${shown}\`.`);
    return { text, parameters: {} };
  }
  if (!said.startsWith(VERSION)) throw new Error("This address is of another version of the lab.");
  if (said.length > LONGEST) throw new Error("This address is too long for a model.");
  return shared(await unpacked(said.slice(VERSION.length), MOST).catch(() => ""));
}

function shared(text: string): Shared {
  try {
    const { text: model, parameters } = JSON.parse(text) as Partial<Record<keyof Shared, unknown>>;
    const given = typeof parameters === "object" && parameters !== null ? Object.entries(parameters) : [];
    const known = given.filter((own): own is [string, number] => typeof own[1] === "number" && Number.isFinite(own[1]));
    if (typeof model === "string") return { text: model, parameters: Object.fromEntries(known.slice(0, PARAMETERS)) };
  } catch {
    // Said below.
  }
  throw new Error("The model in this address is damaged: was it copied whole?");
}
