/** Many rows in few statements. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Pieces of rows that have about this size together: the bytes of their bodies, or how many they are. */
export function* inPieces<T>(
  rows: readonly T[],
  sizeOf: (row: T) => number,
  pieceSize: number = PIECE_BYTES,
): Iterable<readonly T[]> {
  let piece: T[] = [];
  let size = 0;
  for (const row of rows) {
    piece.push(row);
    size += sizeOf(row);
    if (size < pieceSize) continue;
    yield piece;
    piece = [];
    size = 0;
  }
  if (piece.length > 0) yield piece;
}

/**
 * The bodies of rows as one parameter, as they are; an array of them would be sent as text, twice as long.
 *
 *     bytes    body body body ...
 *     rows     from where and how long each is: substring(bytes FROM begins FOR lengths)
 */
export interface PackedBodies {
  readonly bytes: Buffer;
  readonly begins: readonly number[];
  readonly lengths: readonly number[];
}

export function packBodies(bodies: readonly Uint8Array[]): PackedBodies {
  const begins: number[] = [];
  let next = 1;
  for (const { length } of bodies) {
    begins.push(next);
    next += length;
  }
  return { bytes: Buffer.concat(bodies), begins, lengths: bodies.map(({ length }) => length) };
}
