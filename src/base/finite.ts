/** Numbers from outside: missing, NaN and infinite ones all mean unknown. */

export function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** For JSON, which has neither undefined nor NaN. */
export function finiteOrNull(value: number | undefined): number | null {
  return finite(value) ?? null;
}

/** The first of the named values that is known. */
export function firstFinite(
  values: Readonly<Record<string, number | undefined>>,
  names: readonly string[],
): number | undefined {
  for (const name of names) {
    const value = finite(values[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}
