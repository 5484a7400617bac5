// What is wider than its place (boxes, also higher) can be scrolled, by keys as well: then it is a tab stop, and only then.
// Until it has been measured nothing scrolls, so that there is no moment at which a scroller cannot be reached.

import { set } from "./dom";

const SCROLLERS = ".formula, .form p, .wide, fieldset, pre";
const BOXES = "fieldset, pre";
/** What is in a tab order of its own brings the keys with it. */
const REACHABLE = "a[href], button:not([tabindex='-1']):not(:disabled), input:not(:disabled), select, [tabindex='0']";

function measure(element: Element): void {
  const high = element.matches(BOXES) && element.scrollHeight > element.clientHeight + 1;
  const scrolls = high || element.scrollWidth > element.clientWidth + 1;
  element.classList.toggle("scrolls", scrolls);
  if (scrolls && element.querySelector(REACHABLE) === null) set(element, { tabindex: 0 });
  else element.removeAttribute("tabindex");
}

/** A formula gets its size when it is laid out: when it comes near the window, its tab is chosen, its fold opened. */
const sizes = new ResizeObserver((entries) => {
  const changed = new Set(entries.map(({ target }) => target.closest(SCROLLERS)));
  for (const element of changed) if (element !== null) measure(element);
});

/** Looks after an element and its content from now on. */
export function watch(element: Element): void {
  sizes.observe(element);
  for (const child of element.children) sizes.observe(child);
}

/** Looks after everything in an element. */
export function watchAll(root: ParentNode): void {
  root.querySelectorAll(SCROLLERS).forEach(watch);
}

export function scrollers(root: ParentNode): void {
  document.documentElement.classList.add("scripted");
  watchAll(root);
  // A font that comes later changes what is inside, and no size of its own.
  const again = (): void => root.querySelectorAll(SCROLLERS).forEach(measure);
  document.fonts.addEventListener("loadingdone", again);
  void document.fonts.ready.then(again);
  // Nor does what is laid out only when it is seen.
  const soon = (): number => requestAnimationFrame(again);
  addEventListener("scroll", soon, { passive: true, capture: true });
  addEventListener("toggle", soon, { capture: true });
}
