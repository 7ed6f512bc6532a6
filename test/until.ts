/** Waits for what will come, however slow the machine; the runner ends, by name, a test that waits in vain. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 5));
}

/**
 * For a deadline that must pass in one request and not in the others: tries with twice the time until it holds, so that a
 * slow machine comes to the same end as a fast one.
 */
export async function withEnoughTime(attempt: (factor: number) => Promise<void>): Promise<void> {
  for (let factor = 1; factor < 64; factor *= 2) {
    try {
      return await attempt(factor);
    } catch {
      // With more time, perhaps.
    }
  }
  await attempt(64);
}
