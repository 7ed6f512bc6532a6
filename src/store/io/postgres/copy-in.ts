/**
 * COPY ... FROM STDIN (FORMAT binary): rows with bytes, as they are.
 *
 *     PGCOPY\n\377\r\n\0  flags  extension     once
 *     fields  (length  bytes) ...              for each row, big-endian
 *     -1                                       at the end
 */
import pg, { type Connection } from 'pg';

/** A bigint, an integer and bytes. */
export type CopiedRow = readonly [bigint: number, integer: number, bytes: Uint8Array];

const HEAD: Uint8Array = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END: Uint8Array = Buffer.from([0xff, 0xff]);
/** Of a row, beside its bytes. */
const FIXED_BYTES = 2 + 4 + 8 + 4 + 4 + 4;
/** Of each message. */
const PIECE_BYTES = 256 * 1024;

/** The whole of it, in pieces. */
export function* copiedRows(rows: Iterable<CopiedRow>): Iterable<Buffer> {
  let parts: Uint8Array[] = [HEAD];
  let bytes = 0;
  for (const [big, small, body] of rows) {
    parts.push(fixedPart(big, small, body.length), body);
    bytes += FIXED_BYTES + body.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  yield Buffer.concat([...parts, END]);
}

function fixedPart(big: number, small: number, length: number): Buffer {
  const fixed = Buffer.allocUnsafe(FIXED_BYTES);
  fixed.writeInt16BE(3, 0);
  fixed.writeInt32BE(8, 2);
  fixed.writeBigInt64BE(BigInt(big), 6);
  fixed.writeInt32BE(4, 14);
  fixed.writeInt32BE(small, 18);
  fixed.writeInt32BE(length, 22);
  return fixed;
}

/** What pg's connection has, and its types do not. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
}

/** A statement that waits for the server to be ready for the rows, and sends them. */
export class CopyIn extends pg.Query {
  readonly #pieces: Iterable<Buffer>;

  constructor(statement: string, pieces: Iterable<Buffer>, done: (error: Error | undefined) => void) {
    super(statement, done);
    this.#pieces = pieces;
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    for (const piece of this.#pieces) connection.sendCopyFromChunk(piece);
    connection.endCopyFrom();
  }
}
