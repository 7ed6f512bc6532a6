/**
 * Which memprofilerate would name the code of a small leak sooner.
 *
 * A heap profile has one sample in `rate` bytes. After n operations that leave b bytes each there are n·b/rate samples,
 * and the estimate is off by 1/sqrt of that. Twenty samples give 22 %.
 */
/** For programs that the gate starts: samples of small objects, at a few percent of the time for allocations. */
export const STARTED_RATE = 4096;
const WANTED_SAMPLES = 20;
const MIN_RATE = 512;

/** A power of two; undefined if the rate is good enough. `bytes` is what has been left behind so far. */
export function betterRate(rate: number, bytes: number): number | undefined {
  const wanted = Math.max(MIN_RATE, 2 ** Math.floor(Math.log2(Math.max(1, bytes) / WANTED_SAMPLES)));
  return wanted < rate ? wanted : undefined;
}

/** How many operations it takes at this rate until a leak of `bytesPerOperation` has enough samples. */
export function operationsForSamples(rate: number, bytesPerOperation: number): number {
  return Math.ceil((WANTED_SAMPLES * rate) / bytesPerOperation);
}

/** The environment of a program with `GODEBUG=memprofilerate`; what it says already stays. */
export function withSamplingRate(godebug: string | undefined, rate: number): string {
  if (godebug === undefined || godebug === '') return `memprofilerate=${rate}`;
  return /(?:^|,)memprofilerate=/.test(godebug) ? godebug : `${godebug},memprofilerate=${rate}`;
}
