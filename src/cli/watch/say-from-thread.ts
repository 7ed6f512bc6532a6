import { visible } from '../../base/visible-text.ts';

/** From the thread of the store, to the terminal. */
export function sayFromThread(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}
