/** How far the queries to a Prometheus are, on stderr. */
import type { Output } from './io.ts';

export interface QueryProgress {
  readonly show: (done: number, all: number) => void;
  readonly clear: () => void;
}

/** One line that counts, on a terminal; otherwise a line for every tenth of the work. */
export function queryProgress(stderr: Output): QueryProgress {
  if (stderr.isTTY !== true)
    return { show: everyTenth((done, all) => stderr.write(`oakum: ${done} of ${all} queries\n`)), clear: () => {} };
  return {
    show: (done, all) => stderr.write(`\r\x1b[K${done} of ${all} queries`),
    clear: () => stderr.write('\r\x1b[K'),
  };
}

export function everyTenth(say: (done: number, all: number) => void): QueryProgress['show'] {
  let tenth = 0;
  return (done, all) => {
    const now = Math.floor((10 * done) / all);
    if (now === tenth) return;
    tenth = now;
    if (now > 0) say(done, all);
  };
}
