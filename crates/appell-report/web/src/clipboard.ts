// The clipboard.

import { html } from "./dom";

/** Whether a text stands on the clipboard now. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page from a disk may not be allowed to; the old way asks nobody.
    const area = html("textarea", { "aria-hidden": true, class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
