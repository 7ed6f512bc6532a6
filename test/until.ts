/** Waits for a condition, however slow the machine is; the runner ends a test that waits in vain, by name. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 5));
}

/**
 * For a deadline that must pass in one request and not in the others: doubles the time until the check holds, so that a
 * slow machine gets the same result as a fast one.
 */
export async function withEnoughTime(attempt: (factor: number) => Promise<void>): Promise<void> {
  for (let factor = 1; factor < 64; factor *= 2) {
    try {
      return await attempt(factor);
    } catch {
      // It may pass with more time.
    }
  }
  await attempt(64);
}
