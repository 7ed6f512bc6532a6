/** Lets everything else that is waiting run first, so that long work does not block the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
