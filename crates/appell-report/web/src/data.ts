// What the page's JSON holds; written by crates/appell-report/src/page/data.rs.

/** Three numbers a sample, one after the other; null where undefined. */
export type Track = (number | null)[];

export interface Arrow {
  label: string;
  kind: "vector" | "force" | "couple";
  toggle: number;
  at: Track;
  vector: Track;
}

export interface Shape {
  shape: "rod" | "disc" | "ball" | "box" | "wheel" | "line" | "polyline" | "ellipsoid" | "plate" | "ground" | "cone" | "cylinder" | "spring" | "blade";
  sizes: Record<string, (number | null)[]>;
  /** None where there are points: then it is their middle. */
  at: Track | null;
  points: Track[];
  label: string;
  axes?: Track[];
  along?: Track;
  axis?: Track;
  normal?: Track;
  colour?: string;
}

export interface Scene {
  plane: [number, number] | null;
  /** Against gravity, along an axis. */
  up: [number, number, number];
  trails: { name: string; hue: number; at: Track }[];
  marks: { name: string; axes: Track[] | null; at: Track }[];
  shapes: Shape[];
  arrows: Arrow[];
  /** By what the usual lengths of force arrows are multiplied. */
  force_scale: number;
  toggles: { hue: number; label: string; constraint: boolean; on: boolean; why: string }[];
}

export interface Series {
  label: string;
  /** Rounding errors: points with their running maximum. */
  scattered: boolean;
  /** Hue and dash: one thing has one hue everywhere, and no two curves of a plot look alike. */
  pen: [number, number];
  /** None where the abscissa is the time. */
  x: (number | null)[] | null;
  y: (number | null)[];
}

export interface Plot {
  title: string;
  x: string;
  y: string;
  /** Of both axes; empty where unknown. */
  units: [string, string];
  log: boolean;
  equal: boolean;
  series: Series[];
}

/** An instant at which velocities were changed, and what that was. */
export interface Nudge {
  t: number;
  label: string;
}

export interface Data {
  times: number[];
  scene: Scene | null;
  plots: Plot[];
  /** Formulas that wait, a list in JSON, deflated, in Base64; empty for none. */
  late: string;
  /** Where the motion was changed by hand. */
  nudges?: Nudge[];
  /** Whether it goes on otherwise than the model's own motion, or further. */
  by_hand?: boolean;
}
