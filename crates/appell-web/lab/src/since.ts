// What the page says of a motion that was changed by hand: of what came after, not of what was before.

import { shown } from "../../../appell-report/web/src/dom";
import { watchAll } from "../../../appell-report/web/src/scrollers";
import type { Nudged } from "./parts";

/** From when on, and what the engine's page says of that. */
export interface Since extends Pick<Nudged, "t" | "header" | "claims" | "about"> {
  /** Else it only goes on further. */
  nudged: boolean;
}

/** The columns of the table of claims, and what stands where no proof was sought yet. */
const [PROOF, MOTION] = [2, 3];
const NOT_YET = "not yet";

/** What is made of HTML of the engine. */
type Nodes = (content: string) => Node[];

function parsed(content: string, nodes: Nodes): DocumentFragment {
  const all = document.createDocumentFragment();
  all.append(...nodes(content));
  return all;
}

/** Writes it into the page in the place of what it said of the motion before. */
export function tell(since: Since, nodes: Nodes): void {
  const when = `${since.nudged ? "Since the nudge at" : "Since"} t = ${shown(since.t, 4)}: `;
  const outcome = parsed(since.header, nodes).querySelector<HTMLElement>(".notice");
  const place = document.querySelector("header .notice");
  if (outcome && place) {
    outcome.lastChild!.textContent = ` ${when}${(outcome.lastChild!.textContent ?? "").trim()}`;
    outcome.dataset["since"] = String(since.t);
    place.replaceWith(outcome);
  }
  claims(parsed(since.claims, nodes));
  const about = document.getElementById("about");
  if (about && since.about !== "") {
    about.replaceChildren(about.querySelector("h2")!, ...nodes(since.about));
    watchAll(about);
  }
}

/** Of each claim what became of it along the motion; what is proved stays so. */
function claims(of: DocumentFragment): void {
  const rows = [...document.querySelectorAll("#claims tbody tr")];
  const told = [...of.querySelectorAll("tbody tr")];
  if (rows.length !== told.length) return;
  rows.forEach((row, i) => {
    const [own, other] = [[...row.children], [...told[i]!.children]];
    own[MOTION]!.replaceWith(other[MOTION]!);
    const badges = [own[0], other[0]].map((cell) => cell!.querySelector(".badge")!);
    const open = own[PROOF]!.textContent === NOT_YET;
    if (open || badges[1]!.classList.contains("no")) badges[0]!.replaceWith(badges[1]!);
  });
}
