/** The first hours of one life in one resource: where it began, and how it went on. */
export class Youth {
  readonly epoch: number;
  /** The level soon after the start. */
  readonly start: number;
  highest: number;
  /** The level every half hour since the start. */
  readonly #levels: number[];
  isOver = false;

  constructor(epoch: number, start: number) {
    this.epoch = epoch;
    this.start = start;
    this.highest = start;
    this.#levels = [start];
  }

  /** Notes the level at an age; true when it has settled, once. */
  note(ageMinutes: number, level: number): boolean {
    if (level > this.highest) this.highest = level;
    const marks = Math.floor(ageMinutes / MARK_MINUTES);
    if (marks < this.#levels.length) return false;
    while (this.#levels.length <= marks) this.#levels.push(level);
    if (marks > MOST_MARKS) {
      this.isOver = true;
      return false;
    }
    if (marks < LEAST_MARKS || level > SETTLED * this.#levels[marks >> 1]) return false;
    this.isOver = true;
    return true;
  }
}

const MARK_MINUTES = 30;
/** A process that has not settled within a day has no youth to learn from: it may leak. */
const MOST_MARKS = 48;
const LEAST_MARKS = 8;
/** It has settled when its level is at most this many times what it was at half its age. */
const SETTLED = 1.07;
