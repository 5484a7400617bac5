// The time that player and plots share.

export class Clock {
  readonly first: number;
  readonly last: number;
  now: number;
  /** Whether the motion plays. */
  runs = false;
  private listeners: (() => void)[] = [];

  constructor(readonly times: number[]) {
    this.first = times[0] ?? 0;
    this.last = times[times.length - 1] ?? 0;
    this.now = this.first;
  }

  /** How long the motion is; it may go backwards. */
  get span(): number {
    return this.last - this.first;
  }

  set(time: number): void {
    const [low, high] = [Math.min(this.first, this.last), Math.max(this.first, this.last)];
    this.now = Math.min(high, Math.max(low, time));
    for (const listener of this.listeners) listener();
  }

  listen(listener: () => void, until?: AbortSignal): void {
    this.listeners.push(listener);
    until?.addEventListener("abort", () => (this.listeners = this.listeners.filter((own) => own !== listener)));
  }

  /** The sample before a time, and the part of the way to the next. */
  place(time = this.now): [number, number] {
    const { times } = this;
    const sign = this.span < 0 ? -1 : 1;
    let [low, high] = [0, Math.max(0, times.length - 1)];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (sign * (times[middle]! - time) <= 0) low = middle;
      else high = middle;
    }
    const width = (times[high] ?? 0) - (times[low] ?? 0);
    return [low, width === 0 ? 0 : Math.min(1, Math.max(0, (time - times[low]!) / width))];
  }

  /** The sample nearest to a time. */
  nearest(time = this.now): number {
    const [index, part] = this.place(time);
    return Math.min(this.times.length - 1, part > 0.5 ? index + 1 : index);
  }
}
