/**
 * profile.proto to a columnar Profile, in one pass, in pieces.
 *
 * `push` takes the (decompressed) bytes as they come, so that a profile of any size is read without ever holding its
 * encoded form: only the columns stay.
 *
 *     const decoder = new ProfileDecoder();
 *     for await (const chunk of gunzipped) decoder.push(chunk);
 *     const profile = decoder.finish();
 *
 * Rules of google/pprof kept here: ids in any order and of any size, tables in any order, packed or not, unknown
 * fields skipped, string_table[0] must be '', a second time_nanos means two profiles were concatenated.
 */
import { FormatError } from '../../../base/errors.ts';
import { concatBytes, decodeText } from '../../../base/text.ts';
import type { Profile } from '../../profile.ts';
import { SampleDecoder } from './decode-samples.ts';
import { TableDecoder } from './decode-tables.ts';
import {
  FieldReader,
  WIRE_BYTES,
  WIRE_FIXED32,
  WIRE_FIXED64,
  WIRE_VARINT,
  WireReader,
  ConcatenatedProfilesError,
  MalformedProfileError,
} from './wire.ts';
import { isText } from '../../../base/sniff.ts';

interface DecodeOptions {
  /** The expected size of the whole input; it only sets first capacities. */
  readonly sizeHint?: number;
  /** Whether to keep the samples' labels; many reports show none. */
  readonly labels?: boolean;
}

/** Reads a whole profile.proto, uncompressed. */
export function decodeProfile(bytes: Uint8Array): Profile {
  const decoder = new ProfileDecoder({ sizeHint: bytes.length });
  decoder.push(bytes);
  return decoder.finish();
}

export class ProfileDecoder {
  private readonly reader = new WireReader();
  private readonly fields: FieldReader = new FieldReader(this.reader);
  private readonly tables: TableDecoder = new TableDecoder(this.fields);
  private readonly samples: SampleDecoder;
  /** Input not yet decoded because its top-level field is incomplete. */
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;
  private neededBytes = 0;
  private consumedBytes = 0;

  private readonly strings: string[] = [];
  private readonly sampleTypes: (readonly [type: number, unit: number])[] = [];
  private readonly comments: number[] = [];
  private dropFrames = 0;
  private keepFrames = 0;
  private timeNanos = 0n;
  private durationNanos = 0n;
  private periodType: readonly [type: number, unit: number] = [0, 0];
  private period = 0n;
  private defaultSampleType = 0;
  private docUrl = 0;

  constructor(options: DecodeOptions = {}) {
    const sizeHint = Math.min(options.sizeHint ?? 0, 1 << 28);
    this.samples = new SampleDecoder(this.fields, this.tables.locationIds, sizeHint, options.labels ?? true);
  }

  push(chunk: Uint8Array): void {
    // Always a plain Uint8Array: Node's Buffer is another class to the compiler, and two classes make slow code.
    let rest = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
    while (this.pendingBytes > 0 && rest.length > 0) {
      // Only the incomplete field is joined; what follows it is decoded where it is.
      const take = Math.min(Math.max(this.neededBytes - this.pendingBytes, 1), rest.length);
      this.pending.push(rest.slice(0, take));
      this.pendingBytes += take;
      rest = rest.subarray(take);
      if (this.pendingBytes < this.neededBytes) return;
      const joined = concatBytes(this.pending);
      this.pending = [];
      this.pendingBytes = 0;
      this.decodeChunk(joined);
    }
    if (rest.length > 0) this.decodeChunk(rest);
  }

  private decodeChunk(chunk: Uint8Array): void {
    const done = this.decodeTopLevel(chunk);
    this.consumedBytes += done;
    if (done < chunk.length) {
      // A copy: the caller may reuse its buffer, and a view would keep the whole chunk alive.
      this.pending.push(chunk.slice(done));
      this.pendingBytes = chunk.length - done;
    }
  }

  /** How much of the input was decoded so far: all but a last field that is not yet complete. */
  get decodedBytes(): number {
    return this.consumedBytes;
  }

  finish(): Profile {
    if (this.pendingBytes > 0) {
      throw new FormatError(`truncated: the last field needs ${this.neededBytes - this.pendingBytes} more bytes`, {
        offset: this.consumedBytes + this.pendingBytes,
      });
    }
    if (this.consumedBytes === 0) throw new FormatError('empty input file', { offset: 0 });
    if (this.strings.length === 0 || this.fields.largestString >= this.strings.length) {
      throw new FormatError(
        `string index ${this.fields.largestString} is outside the table of ${this.strings.length} strings`,
        { offset: this.fields.largestStringOffset },
      );
    }
    return this.build();
  }

  /** Decodes every complete top-level field and returns how many bytes that was. */
  private decodeTopLevel(bytes: Uint8Array): number {
    const { reader } = this;
    reader.bytes = bytes;
    reader.base = this.consumedBytes;
    let at = 0;
    while (at < bytes.length) {
      reader.at = at;
      reader.end = bytes.length;
      // A field must be whole before it is decoded.
      const stop = this.fieldEnd();
      if (stop > bytes.length) {
        this.neededBytes = stop - at;
        return at;
      }
      const tag = this.tag;
      reader.end = stop;
      if (tag === SAMPLE) this.samples.decode();
      else this.decodeField(tag, at);
      at = stop;
    }
    return at;
  }

  /** The tag that `fieldEnd` has read. */
  private tag = 0;

  /** Where the field at the reader ends, beyond the bytes when it is incomplete; leaves the reader at its content. */
  private fieldEnd(): number {
    const { reader } = this;
    const incomplete = reader.end + 1;
    if (!this.hasVarint()) return incomplete;
    reader.varint();
    // A field number beyond 32 bits is not one of ours.
    this.tag = reader.hi === 0 ? reader.lo : reader.lo & 7;
    const wireType = this.tag & 7;
    if (wireType === WIRE_FIXED64) return reader.at + 8;
    if (wireType === WIRE_FIXED32) return reader.at + 4;
    if (!this.hasVarint()) return incomplete;
    const content = reader.at;
    reader.varint();
    if (wireType === WIRE_BYTES) {
      if (reader.hi === 0) return reader.at + reader.lo;
      reader.fail('a field is longer than any profile');
    }
    if (wireType !== WIRE_VARINT) reader.fail(`unknown wire type ${wireType}`);
    const stop = reader.at;
    reader.at = content;
    return stop;
  }

  /** Whether the reader has all bytes of a varint, or enough to find that it is too long. */
  private hasVarint(): boolean {
    const { bytes, at, end } = this.reader;
    const limit = Math.min(end, at + 10);
    for (let i = at; i < limit; i++) if (bytes[i] < 0x80) return true;
    return limit === at + 10;
  }

  /** Decodes a field whose content is reader.at .. reader.end; `start` is where its tag stands. */
  private decodeField(tag: number, start: number): void {
    const { reader, fields } = this;
    const wireType = tag & 7;
    const content = (): void => {
      if (wireType !== WIRE_BYTES) reader.fail('type mismatch: a message was expected');
    };
    switch (tag >>> 3) {
      case 1:
        content();
        this.sampleTypes.push(fields.valueTypeContent());
        break;
      case 2:
        content();
        break;
      case 3:
        content();
        this.tables.mapping();
        break;
      case 4:
        content();
        this.tables.location();
        break;
      case 5:
        content();
        this.tables.fn();
        break;
      case 6: {
        content();
        const text = decodeText(reader.bytes, reader.at, reader.end);
        if (this.strings.length === 0 && text !== '') reader.fail("string_table[0] must be ''");
        this.strings.push(text);
        break;
      }
      case 7:
        this.dropFrames = fields.string(wireType);
        break;
      case 8:
        this.keepFrames = fields.string(wireType);
        break;
      case 9:
        if (this.timeNanos !== 0n) {
          throw new ConcatenatedProfilesError('concatenated profiles detected', { offset: reader.base + start });
        }
        this.timeNanos = fields.int64(wireType);
        break;
      case 10:
        this.durationNanos = fields.int64(wireType);
        break;
      case 11:
        content();
        this.periodType = fields.valueTypeContent();
        break;
      case 12:
        this.period = fields.int64(wireType);
        break;
      case 13:
        if (wireType === WIRE_BYTES) {
          while (reader.at < reader.end) {
            reader.varint();
            this.comments.push(fields.stringIndex());
          }
        } else {
          this.comments.push(fields.string(wireType));
        }
        break;
      case 14:
        this.defaultSampleType = fields.string(wireType);
        break;
      case 15:
        this.docUrl = fields.string(wireType);
        break;
      // Other fields are skipped: their extent is already known.
    }
  }

  /** Resolves ids to indexes, checks what pprof's CheckValid checks, and hands over the columns. */
  private build(): Profile {
    const { strings, samples } = this;
    const typeCount = this.sampleTypes.length;
    if (samples.count > 0) {
      if (typeCount === 0) throw new MalformedProfileError('missing sample type information');
      const odd = samples.valueCount !== typeCount ? samples.valueCount : samples.oddValueCount;
      if (odd >= 0) throw new MalformedProfileError(`mismatch: sample has ${odd} values vs. ${typeCount} types`);
    }
    const locationRows = this.tables.locationIds.finish();
    const stackLocations = samples.stack.finish(locationRows);
    const { locations, functions, mappings } = this.tables.finish(locationRows, strings);
    const { stackStart, values, labelStart, labels } = samples.finish();
    return {
      sampleTypes: this.sampleTypes.map(([type, unit]) => ({ type: strings[type], unit: strings[unit] })),
      defaultSampleType: strings[this.defaultSampleType],
      samples: {
        length: samples.count,
        stackStart,
        stackLocations,
        values: samples.count > 0 ? values : this.sampleTypes.map(() => new Float64Array(0)),
        labelStart,
        labels,
      },
      mappings,
      locations,
      functions,
      strings,
      comments: this.comments.map(index => strings[index]),
      docUrl: strings[this.docUrl],
      dropFrames: strings[this.dropFrames],
      keepFrames: strings[this.keepFrames],
      timeNanos: this.timeNanos,
      durationNanos: this.durationNanos,
      periodType: { type: strings[this.periodType[0]], unit: strings[this.periodType[1]] },
      period: this.period,
    };
  }
}

/** The tag of a sample: field 2, length-delimited. */
const SAMPLE = (2 << 3) | WIRE_BYTES;

/** Whether the decoder accepts the head, and at least one whole field is in it. Text is never a profile.proto. */
export function sniffPprof(head: Uint8Array): boolean {
  if (!mayBeProto(head) || isText(head)) return false;
  const decoder = new ProfileDecoder();
  try {
    decoder.push(head);
    return decoder.decodedBytes > 0;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return !mayBeOtherFormat(error);
  }
}

/** Whether the first tag is one that the message has, with its wire type. Some text begins like that, too. */
export function mayBeProto(head: Uint8Array): boolean {
  if (head.length < 2) return false;
  const field = head[0] >>> 3;
  const wireType = head[0] & 7;
  if (head[0] >= 0x80) return wireType === 0 || wireType === 1 || wireType === 2 || wireType === 5;
  if (field >= 1 && field <= 6) return wireType === 2;
  if (field === 11) return wireType === 2;
  if (field === 13) return wireType === 2 || wireType === 0;
  if (field >= 7 && field <= 15) return wireType === 0;
  return false;
}

/** Whether a failure to decode leaves room for another format. */
export function mayBeOtherFormat(error: FormatError): boolean {
  return !(error instanceof MalformedProfileError) && !(error instanceof ConcatenatedProfilesError);
}
