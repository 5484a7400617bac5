// From places to pixels: parallel projection, turned by hand in space and fixed in a plane.

import { type V, cross, dot, plus } from "./vector";

export class Camera {
  yaw = -0.62;
  pitch = 0.42;
  zoom = 1;
  centre: V = [0, 0, 0];
  /** Pixels for a unit of length at zoom 1. */
  unit = 1;
  width = 1;
  height = 1;
  right: V = [1, 0, 0];
  up: V = [0, 1, 0];
  /** Towards the reader. */
  out: V = [0, 0, 1];

  /** Two level directions and the upward one. */
  readonly frame: [V, V, V];

  constructor(
    readonly plane: [number, number] | null,
    up: V,
  ) {
    const one: V = Math.abs(up[0]) < 0.5 ? [1, 0, 0] : [0, 1, 0];
    this.frame = [one, cross(up, one), up];
    this.turn();
  }

  /** Finds the axes of the screen. */
  turn(): void {
    if (this.plane) {
      const axis = (i: number): V => [i === 0 ? 1 : 0, i === 1 ? 1 : 0, i === 2 ? 1 : 0];
      [this.right, this.up] = [axis(this.plane[0]), axis(this.plane[1])];
    } else {
      const [sin, cos] = [Math.sin(this.yaw), Math.cos(this.yaw)];
      const [low, high] = [Math.cos(this.pitch), Math.sin(this.pitch)];
      const [one, two, up] = this.frame;
      const mix = (a: number, b: number, c: number): V => plus(plus(plus([0, 0, 0], one, a), two, b), up, c);
      this.right = mix(cos, sin, 0);
      // A positive pitch looks down: what points to the reader, right x up, has the height sin(pitch).
      this.up = mix(-high * sin, high * cos, low);
    }
    this.out = cross(this.right, this.up);
  }

  get scale(): number {
    return this.unit * this.zoom;
  }

  /** Where a place is on the screen. */
  place(p: V): [number, number] {
    const from = plus(p, this.centre, -1);
    return [
      this.width / 2 + this.scale * dot(from, this.right),
      this.height / 2 - this.scale * dot(from, this.up),
    ];
  }

  /** A level direction given by its parts along the frame; the same light falls whichever way is up. */
  level(one: number, two: number, up: number): V {
    const [a, b, c] = this.frame;
    return plus(plus(plus([0, 0, 0], a, one), b, two), c, up);
  }

  /** How far towards the reader. */
  depth(p: V): number {
    return dot(plus(p, this.centre, -1), this.out);
  }
}
