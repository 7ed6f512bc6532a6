/** What goes between the two sides of a thread. */

/** An id of 0 wants no answer. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type Answer =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: ThreadError };

/** Of an error what survives the way: `kind` tells errors of a port apart. */
export interface ThreadError {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
}
