/**
 * The content of a file, decompressed, as sniffers and readers see it. What several of them need is made once.
 *
 *     const file = new FileContent(bytes);
 *     file.head         the first 64 KiB, which formats are recognised by
 *     file.unprefixed   the content without the log prefixes that a dump went through
 *     file.json         the parsed value of a JSON file
 */
import { parseJson } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';
import type { PrefixStyle } from '../../profile/formats/log-prefixes.ts';
import { stripLogPrefix } from '../../profile/formats/strip-log-prefixes.ts';
import { isText } from '../../base/sniff.ts';

const HEAD_BYTES = 64 * 1024;
const START_BYTES = 4096;

/** Parsing more would take more memory than the answer is worth. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

export interface UnprefixedContent {
  readonly bytes: Uint8Array;
  readonly head: Uint8Array;
  /** Undefined when there were no prefixes. */
  readonly style: PrefixStyle | undefined;
  /** The host that logged it; '' if unknown. */
  readonly host: string;
}

export class FileContent {
  readonly bytes: Uint8Array;
  readonly head: Uint8Array;
  private startText: string | undefined;
  private unprefixedContent: UnprefixedContent | undefined;
  private jsonValue: { readonly value: unknown } | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.head = bytes.subarray(0, HEAD_BYTES);
  }

  /** The first 4 KiB as text, without the byte order mark and white space before it. */
  get start(): string {
    return (this.startText ??= decodeText(this.head, 0, START_BYTES).replace(/^\ufeff?\s*/, ''));
  }

  get isText(): boolean {
    return isText(this.head);
  }

  /** Whether it begins like JSON. `[12345.678]` begins a line of a kernel log. */
  get isJsonLike(): boolean {
    return /^(?:\{|\[\s*[[{"\]])/.test(this.start);
  }

  get unprefixed(): UnprefixedContent {
    if (this.unprefixedContent !== undefined) return this.unprefixedContent;
    const { bytes, style, host } = stripLogPrefix(this.bytes) ?? { bytes: this.bytes, style: undefined, host: '' };
    return (this.unprefixedContent = { bytes, head: bytes.subarray(0, HEAD_BYTES), style, host });
  }

  /** An object or a list; undefined when the content is not JSON, is cut, or is too large. */
  get json(): unknown {
    return (this.jsonValue ??= { value: this.parse() }).value;
  }

  private parse(): unknown {
    if (!this.isJsonLike || this.bytes.length > MAX_JSON_BYTES) return undefined;
    return parseJson(decodeText(this.bytes).replace(/^\ufeff/, ''));
  }
}
