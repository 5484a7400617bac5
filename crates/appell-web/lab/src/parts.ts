// What the lab and the page in its frame say to each other.

import type { Data } from "../../../appell-report/web/src/data";

export type V3 = [number, number, number];

/** The page as far as it is known; `content` is HTML of the engine. */
export interface Part {
  header: string;
  sections: { id: string; title: string; content: string }[];
  /** JSON, as in the page of a report. */
  data: string;
}

/** A state with the points by which it is moved. */
export interface State {
  t: number;
  q: number[];
  v: number[];
  handles: { at: V3; velocity: V3 }[];
  energy?: number | null;
}

export interface Start extends State {
  coordinates: string[];
  points: string[];
  timeless: boolean;
}

/** A motion from a state on: its numbers, as in a page, and what a page says of it. */
export interface Nudged {
  t: number;
  data: string;
  /** How much more energy it begins with than the model's own motion, by the labels of the curves that tell it. */
  above: Record<string, number | null>;
  /** HTML of the engine. */
  header: string;
  claims: string;
  about: string;
}

/** The state that the constraints allow instead of the one that was wanted. */
export interface Pulled extends State {
  /** Of the state as it was wanted, and as it is. */
  energies: [number | null, number | null];
  residual: number;
  discarded: number;
}

/** What a point is pulled to. */
export interface Pull {
  point: number;
  place?: V3;
  velocity?: V3;
}

export interface AllowedSet {
  kind: "any" | "point" | "line" | "plane" | "curved";
  velocities: V3[];
}

/** What the page in the frame asks of the lab; null where there is no answer. */
export interface Hands {
  points: string[];
  instant(t: number): Promise<State | null>;
  pull(from: State, pull: Pull): Promise<Pulled | null>;
  allowed(from: State, point: number, speed: number, plane: [number, number] | null): Promise<AllowedSet | null>;
  /** The motion from this state on. */
  leg(from: State, until: number): Promise<Nudged | null>;
  /** The motion starts from this state. */
  begin(from: State): void;
}

/** What the lab asks of the page in the frame. */
export interface Page {
  /** Shows what is known; what is not told of stands there, faded, until all is known. */
  show(part: Part, whole: boolean): void;
  /** Another model: from the start, in the first view. */
  forget(): void;
  /** The hands that pull points; without, none can be pulled. */
  hold(hands: Hands | null): void;
  /** What is shown now, nudges included. */
  data(): Data | null;
  theme(dark: boolean): void;
  /** The instant that is shown. */
  now(): number | null;
  /** The motion that is shown next begins anew: its start is shown. */
  rewind(): void;
  /** Shows another instant. */
  time(t: number): void;
  /** Hears of each instant that is shown. */
  listen(heard: (t: number) => void): void;
  /** Hears whenever the motion was changed by hand, or is as it was again. */
  changed(heard: () => void): void;
  /** Beside another one: the motion comes first. */
  beside(on: boolean): void;
  /** The motion alone, for a frame on another page. */
  alone(): void;
}

declare global {
  interface Window {
    page?: Page;
  }
}
