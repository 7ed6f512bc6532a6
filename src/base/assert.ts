/** Assertions catch bugs in Oakum. Bad input is a `FormatError`, a failed operation another `Failure`. */

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

/** The element at an index that must be in range, such as a row of one of a table's columns. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`bug: no element ${index} of ${list.length}`);
  return element;
}

export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${String(value)}`);
}
