/** The growing columns of a GoroutineTable. All grow together, so that adding a row is plain stores. */
import type { GoroutineTable } from '../../goroutine-dump.ts';

/** One row, filled in while its text is read. Reused for every row. */
export class Row {
  count = 1;
  id = -1;
  state = 0;
  waitMinutes = -1;
  flags = 0;
  bubble = 0;
  labels = 0;
  stack = 0;
  creator = -1;
  creatorGoroutine = -1;
  ancestorStart = 0;
  hasThread = false;
  gpLo = 0;
  gpHi = 0;
  m = -1;
  mpLo = 0;
  mpHi = 0;
}

interface Threads {
  gp: Uint32Array;
  m: Int32Array;
  mp: Uint32Array;
}

export class RowColumns {
  length = 0;
  private capacity = 256;
  private count = new Uint32Array(this.capacity);
  private id = new Float64Array(this.capacity);
  private state = new Uint32Array(this.capacity);
  private waitMinutes = new Int32Array(this.capacity);
  private flags = new Uint8Array(this.capacity);
  private bubble = new Uint32Array(this.capacity);
  private labels = new Uint32Array(this.capacity);
  private stack = new Uint32Array(this.capacity);
  private creator = new Int32Array(this.capacity);
  private creatorGoroutine = new Float64Array(this.capacity);
  private ancestorStart = new Uint32Array(this.capacity);
  private threads: Threads | undefined;

  add(row: Row): void {
    const i = this.length++;
    if (i === this.capacity) this.grow();
    this.count[i] = row.count;
    this.id[i] = row.id;
    this.state[i] = row.state;
    this.waitMinutes[i] = row.waitMinutes;
    this.flags[i] = row.flags;
    this.bubble[i] = row.bubble;
    this.labels[i] = row.labels;
    this.stack[i] = row.stack;
    this.creator[i] = row.creator;
    this.creatorGoroutine[i] = row.creatorGoroutine;
    this.ancestorStart[i] = row.ancestorStart;
    if (row.hasThread) this.addThread(i, row);
  }

  idOf(row: number): number {
    return this.id[row];
  }

  finish(ancestorCount: number): GoroutineTable {
    const n = this.length;
    const ancestorStart = new Uint32Array(n + 1);
    ancestorStart.set(this.ancestorStart.subarray(0, n));
    ancestorStart[n] = ancestorCount;
    const threads = this.threads;
    return {
      length: n,
      count: this.count.slice(0, n),
      id: this.id.slice(0, n),
      state: this.state.slice(0, n),
      waitMinutes: this.waitMinutes.slice(0, n),
      flags: this.flags.slice(0, n),
      bubble: this.bubble.slice(0, n),
      labels: this.labels.slice(0, n),
      stack: this.stack.slice(0, n),
      creator: this.creator.slice(0, n),
      creatorGoroutine: this.creatorGoroutine.slice(0, n),
      ancestorStart,
      threads: threads && {
        gp: pairs64(threads.gp, n),
        m: threads.m.slice(0, n),
        mp: pairs64(threads.mp, n),
      },
    };
  }

  private addThread(i: number, row: Row): void {
    this.threads ??= {
      gp: new Uint32Array(2 * this.capacity),
      m: new Int32Array(this.capacity).fill(-1),
      mp: new Uint32Array(2 * this.capacity),
    };
    const { gp, m, mp } = this.threads;
    gp[2 * i] = row.gpLo;
    gp[2 * i + 1] = row.gpHi;
    m[i] = row.m;
    mp[2 * i] = row.mpLo;
    mp[2 * i + 1] = row.mpHi;
  }

  private grow(): void {
    const to = this.capacity * 2;
    this.count = widen(this.count, new Uint32Array(to));
    this.id = widen(this.id, new Float64Array(to));
    this.state = widen(this.state, new Uint32Array(to));
    this.waitMinutes = widen(this.waitMinutes, new Int32Array(to));
    this.flags = widen(this.flags, new Uint8Array(to));
    this.bubble = widen(this.bubble, new Uint32Array(to));
    this.labels = widen(this.labels, new Uint32Array(to));
    this.stack = widen(this.stack, new Uint32Array(to));
    this.creator = widen(this.creator, new Int32Array(to));
    this.creatorGoroutine = widen(this.creatorGoroutine, new Float64Array(to));
    this.ancestorStart = widen(this.ancestorStart, new Uint32Array(to));
    if (this.threads !== undefined) {
      this.threads = {
        gp: widen(this.threads.gp, new Uint32Array(2 * to)),
        m: widen(this.threads.m, new Int32Array(to).fill(-1)),
        mp: widen(this.threads.mp, new Uint32Array(2 * to)),
      };
    }
    this.capacity = to;
  }
}

function widen<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Pairs of low and high halves as 64-bit numbers. */
function pairs64(halves: Uint32Array, length: number): BigUint64Array {
  const out = new BigUint64Array(length);
  for (let i = 0; i < length; i++) out[i] = (BigInt(halves[2 * i + 1]) << 32n) | BigInt(halves[2 * i]);
  return out;
}
