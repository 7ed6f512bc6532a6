/** Assertions are for bugs of ours. Bad input is a `FormatError`, a failed operation another `Failure`. */

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${String(value)}`);
}
