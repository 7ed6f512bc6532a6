/** Explains a whole number of goroutines per operation: a leak that follows operations exactly has one cause. */

const MIN_OPERATIONS = 10;
const LISTENER = /\bprocessorListener(?:\[\.\.\.\])?\)\.(?:run|pop)/;

/** Undefined if the growth per operation is not a whole number. */
export function wholeNumberNote(
  perOperation: number,
  operations: number,
  frames: readonly string[],
): string | undefined {
  const whole = Math.round(perOperation);
  if (operations < MIN_OPERATIONS || whole < 1 || Math.abs(perOperation - whole) > 0.02 * whole) return undefined;
  const rate = `${perOperation.toFixed(2)} per operation`;
  if (!frames.some(frame => LISTENER.test(frame)))
    return `${rate}, a whole number: every operation leaves the same behind`;
  const handlers = whole === 1 ? 'one event handler is' : `${whole} event handlers are`;
  return `${rate} here and as many in its twin (run + pop): ${handlers} never removed`;
}
