/**
 * A columnar Profile to profile.proto, uncompressed, byte for byte as google/pprof writes it: the same field order,
 * the same string table order, repeated numbers packed only when there are more than two.
 */
import { compareText, encodeText } from '../../../base/text.ts';
import type { Profile, ValueType } from '../../profile.ts';
import { WireWriter } from './wire.ts';

export function encodeProfile(profile: Profile): Uint8Array {
  return new ProfileEncoder(profile).encode();
}

class ProfileEncoder {
  private readonly out = new WireWriter();
  private readonly message = new WireWriter();
  private readonly inner = new WireWriter();
  private readonly strings = new Map<string, number>([['', 0]]);
  private readonly profile: Profile;

  constructor(profile: Profile) {
    this.profile = profile;
  }

  encode(): Uint8Array {
    const { profile, out } = this;
    for (const type of profile.sampleTypes) this.valueType(1, type);
    this.samples();
    this.mappings();
    this.locations();
    this.functions();
    // The header's strings must be numbered before the table is written.
    const dropFrames = this.string(profile.dropFrames);
    const keepFrames = this.string(profile.keepFrames);
    const periodType = this.string(profile.periodType.type);
    const periodUnit = this.string(profile.periodType.unit);
    const comments = profile.comments.map(comment => this.string(comment));
    const defaultSampleType = this.string(profile.defaultSampleType);
    const docUrl = this.string(profile.docUrl);
    for (const text of this.strings.keys()) out.bytesField(6, encodeText(text));

    out.optional(7, dropFrames);
    out.optional(8, keepFrames);
    out.optional(9, profile.timeNanos);
    out.optional(10, profile.durationNanos);
    if (periodType !== 0 || periodUnit !== 0) this.valueType(11, profile.periodType);
    out.optional(12, profile.period);
    this.repeated(out, 13, comments.length, i => comments[i]);
    out.varint(14 << 3);
    out.varint(defaultSampleType);
    out.optional(15, docUrl);
    return out.view();
  }

  private string(text: string): number {
    let index = this.strings.get(text);
    if (index === undefined) {
      index = this.strings.size;
      this.strings.set(text, index);
    }
    return index;
  }

  private valueType(field: number, { type, unit }: ValueType): void {
    const { message } = this;
    message.clear();
    message.optional(1, this.string(type));
    message.optional(2, this.string(unit));
    this.out.bytesField(field, message.view());
  }

  private repeated(to: WireWriter, field: number, count: number, at: (i: number) => number | bigint): void {
    if (count > 2) {
      const packed = to === this.inner ? this.message : this.inner;
      packed.clear();
      for (let i = 0; i < count; i++) packed.varint64(at(i));
      to.bytesField(field, packed.view());
      return;
    }
    for (let i = 0; i < count; i++) {
      to.varint(field << 3);
      to.varint64(at(i));
    }
  }

  private samples(): void {
    const { message, inner, out, profile } = this;
    const { samples, locations, strings } = profile;
    const { labels } = samples;
    for (let s = 0; s < samples.length; s++) {
      message.clear();
      const start = samples.stackStart[s];
      this.repeated(
        message,
        1,
        samples.stackStart[s + 1] - start,
        i => locations.id[samples.stackLocations[start + i]],
      );
      this.repeated(message, 2, samples.values.length, t => samples.values[t][s]);
      for (const row of labelRowsInOrder(profile, s)) {
        const key = this.string(strings[labels.key[row]]);
        const str = this.string(strings[labels.str[row]]);
        const unit = this.string(strings[labels.unit[row]]);
        inner.clear();
        inner.optional(1, key);
        inner.optional(2, str);
        inner.optional(3, labels.num[row]);
        inner.optional(4, unit);
        message.bytesField(3, inner.view());
      }
      out.bytesField(2, message.view());
    }
  }

  private mappings(): void {
    const { message, out } = this;
    for (const mapping of this.profile.mappings) {
      message.clear();
      message.optional(1, mapping.id);
      message.optional(2, mapping.start);
      message.optional(3, mapping.limit);
      message.optional(4, mapping.offset);
      message.optional(5, this.string(mapping.file));
      message.optional(6, this.string(mapping.buildId));
      message.optional(7, mapping.hasFunctions ? 1 : 0);
      message.optional(8, mapping.hasFilenames ? 1 : 0);
      message.optional(9, mapping.hasLineNumbers ? 1 : 0);
      message.optional(10, mapping.hasInlineFrames ? 1 : 0);
      out.bytesField(3, message.view());
    }
  }

  private locations(): void {
    const { message, inner, out, profile } = this;
    const { locations, functions, mappings } = profile;
    const { lines } = locations;
    for (let l = 0; l < locations.length; l++) {
      message.clear();
      message.optional(1, locations.id[l]);
      message.optional(2, locations.mapping[l] < 0 ? 0 : mappings[locations.mapping[l]].id);
      message.optional(3, locations.address[l]);
      for (let i = locations.lineStart[l]; i < locations.lineStart[l + 1]; i++) {
        inner.clear();
        inner.optional(1, lines.fn[i] < 0 ? 0 : functions.id[lines.fn[i]]);
        inner.optional(2, lines.line[i]);
        inner.optional(3, lines.column[i]);
        message.bytesField(4, inner.view());
      }
      message.optional(5, locations.isFolded[l]);
      out.bytesField(4, message.view());
    }
  }

  private functions(): void {
    const { message, out, profile } = this;
    const { functions, strings } = profile;
    for (let f = 0; f < functions.length; f++) {
      message.clear();
      message.optional(1, functions.id[f]);
      message.optional(2, this.string(strings[functions.name[f]]));
      message.optional(3, this.string(strings[functions.systemName[f]]));
      message.optional(4, this.string(strings[functions.filename[f]]));
      message.optional(5, functions.startLine[f]);
      out.bytesField(5, message.view());
    }
  }
}

/** A sample's label rows as pprof writes them: string labels first, each kind by key, values of a key in their order. */
function labelRowsInOrder(profile: Profile, sample: number): readonly number[] {
  const { labels, labelStart } = profile.samples;
  const start = labelStart[sample];
  const end = labelStart[sample + 1];
  if (end === start) return [];
  const rows: number[] = [];
  for (let row = start; row < end; row++) rows.push(row);
  if (rows.length === 1) return rows;
  return rows.sort(
    (a, b) =>
      Number(labels.str[a] === 0) - Number(labels.str[b] === 0) ||
      compareText(profile.strings[labels.key[a]], profile.strings[labels.key[b]]) ||
      a - b,
  );
}
