// Looks at a model, one after the other: the last that was asked for is made, a long one before it is given up.

/** A look that takes longer than this is given up when another is asked for, in milliseconds. */
const PATIENCE = 250;

export class Looks {
  private wanted = false;
  private runs = false;
  private dropped = false;
  private since = 0;
  private wake: () => void = () => undefined;
  private timer = 0;

  constructor(
    private readonly look: () => Promise<void>,
    private readonly giveUp: () => void,
  ) {}

  /** Whether another look has been asked for: then the present one ends. */
  get outdated(): boolean {
    return this.wanted || this.dropped;
  }

  /** A rest of so many milliseconds, shorter if another look is asked for. */
  rest(time: number): Promise<void> {
    return new Promise((done) => {
      const timer = window.setTimeout(done, time);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  /** From now on the present look may be given up at once. */
  patient(): void {
    this.since = -Infinity;
  }

  /** No look is wanted any more, the present one included. */
  drop(): void {
    if (!this.runs) return;
    this.dropped = true;
    this.wake();
    this.giveUp();
  }

  ask(): void {
    this.wanted = true;
    this.wake();
    if (!this.runs) {
      void this.run();
      return;
    }
    clearTimeout(this.timer);
    const left = Math.max(0, PATIENCE - (performance.now() - this.since));
    const since = this.since;
    this.timer = window.setTimeout(() => {
      if (this.wanted && this.since === since) this.giveUp();
    }, left);
  }

  private async run(): Promise<void> {
    this.runs = true;
    while (this.wanted) {
      this.wanted = this.dropped = false;
      this.since = performance.now();
      await this.look();
    }
    this.runs = false;
  }
}
