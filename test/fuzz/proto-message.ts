/** Messages of profile.proto written by hand, and the parts of a small profile. */
import { encodeText } from '../../src/base/text.ts';
import { WireWriter } from '../../src/profile/formats/pprof/wire.ts';

/** A message field by field: `[field, number]` is a varint, `[field, bytes]` or `[field, message]` has a length. */
export type Field = readonly [field: number, content: number | bigint | string | Uint8Array | readonly Field[]];

export function message(...fields: readonly Field[]): Uint8Array {
  const writer = new WireWriter();
  for (const [field, content] of fields) {
    if (typeof content === 'number' || typeof content === 'bigint') {
      writer.varint(field << 3);
      writer.varint64(content);
    } else if (typeof content === 'string') writer.bytesField(field, encodeText(content));
    else if (content instanceof Uint8Array) writer.bytesField(field, content);
    else writer.bytesField(field, message(...content));
  }
  return writer.view().slice();
}

export const STRINGS: readonly Field[] = ['', 'samples', 'count', 'main.main', 'main.go'].map(
  text => [6, text] as const,
);
export const TYPE: Field = [
  1,
  [
    [1, 1],
    [2, 2],
  ],
];
export const FUNCTION: Field = [
  5,
  [
    [1, 1],
    [2, 3],
    [3, 3],
    [4, 4],
  ],
];
export const LOCATION: Field = [
  4,
  [
    [1, 1],
    [
      4,
      [
        [1, 1],
        [2, 7],
      ],
    ],
  ],
];
export const SAMPLE: Field = [
  2,
  [
    [1, 1],
    [2, 5],
  ],
];
