/**
 * Profiles of every shape the model allows, for properties: huge and sparse ids, text that is not UTF-8, 64-bit values.
 */
import fc from 'fast-check';
import { decodeText } from '../../src/base/text.ts';
import { int64Column } from '../../src/base/int64.ts';
import type { Profile } from '../../src/profile/profile.ts';

// A profile can shrink in so many ways that finding the smallest failure takes minutes.
fc.configureGlobal({ endOnFailure: true });

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

export const arbitraryInt64: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 1000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -1000n, max: 0n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: MIN, max: MAX }) },
);

const arbitraryUint64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 20n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

/** Text that went through `decodeText`: what readers produce, and what can be written back. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', 'main.main', 'runtime.gopark', 'a', 'b', 'bytes', '/src/x.go', 'μ', '😀', 'with space'),
  fc.uint8Array({ maxLength: 12 }).map(bytes => decodeText(bytes)),
);

const valueType = fc.record({ type: arbitraryText, unit: arbitraryText }, { noNullPrototype: true });

/** Distinct ids that are not 0: 1, 2, 3 ..., reversed, or anywhere in 64 bits. */
function ids(count: number): fc.Arbitrary<bigint[]> {
  const inOrder = Array.from({ length: count }, (_, i) => BigInt(i + 1));
  return fc.oneof(
    fc.constant(inOrder),
    fc.constant([...inOrder].reverse()),
    fc.uniqueArray(
      fc.oneof(
        fc.bigInt({ min: 1n, max: 300n }),
        fc.bigInt({ min: 2n ** 31n - 3n, max: 2n ** 32n + 3n }),
        fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      ),
      { minLength: count, maxLength: count },
    ),
  );
}

export interface ProfileShape {
  /** How sample values are drawn. */
  readonly value?: fc.Arbitrary<bigint>;
  /** Names, files and labels. */
  readonly text?: fc.Arbitrary<string>;
  readonly maxSamples?: number;
}

export function arbitraryProfile(shape: ProfileShape = {}): fc.Arbitrary<Profile> {
  const size = fc.nat(6);
  return fc
    .record({
      types: fc.array(valueType, { minLength: 1, maxLength: 4 }),
      mappings: fc.nat(3),
      functions: size,
      locations: size,
    })
    .chain(counts => partsOf(counts, shape).map(parts => profileOf(counts, parts)));
}

interface Counts {
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  readonly mappings: number;
  readonly functions: number;
  readonly locations: number;
}

type Parts = ReturnType<typeof partsOf> extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function partsOf(counts: Counts, shape: ProfileShape) {
  const value = shape.value ?? arbitraryInt64;
  const text = shape.text ?? arbitraryText;
  const line = fc.record({
    fn: fc.nat(Math.max(counts.functions - 1, 0)),
    line: arbitraryInt64,
    column: arbitraryInt64,
  });
  const label = fc.record({ key: text, str: text, num: arbitraryInt64, unit: text });
  return fc.record({
    mappingIds: ids(counts.mappings),
    mappings: fc.array(
      fc.record(
        {
          start: arbitraryUint64,
          limit: arbitraryUint64,
          offset: arbitraryUint64,
          file: text,
          buildId: text,
          hasFunctions: fc.boolean(),
          hasFilenames: fc.boolean(),
          hasLineNumbers: fc.boolean(),
          hasInlineFrames: fc.boolean(),
        },
        { noNullPrototype: true },
      ),
      { minLength: counts.mappings, maxLength: counts.mappings },
    ),
    functionIds: ids(counts.functions),
    functions: fc.array(fc.record({ name: text, systemName: text, filename: text, startLine: arbitraryInt64 }), {
      minLength: counts.functions,
      maxLength: counts.functions,
    }),
    locationIds: ids(counts.locations),
    locations: fc.array(
      fc.record({
        mapping: fc.integer({ min: -1, max: counts.mappings - 1 }),
        address: arbitraryUint64,
        isFolded: fc.nat(1),
        lines: fc.array(line, { maxLength: counts.functions === 0 ? 0 : 3 }),
      }),
      { minLength: counts.locations, maxLength: counts.locations },
    ),
    samples: fc.array(
      fc.record({
        stack: fc.array(fc.nat(Math.max(counts.locations - 1, 0)), { maxLength: counts.locations === 0 ? 0 : 8 }),
        values: fc.array(value, { minLength: counts.types.length, maxLength: counts.types.length }),
        labels: fc.array(label, { maxLength: 4 }),
      }),
      { maxLength: shape.maxSamples ?? 12 },
    ),
    header: fc.record(
      {
        comments: fc.array(arbitraryText, { maxLength: 4 }),
        docUrl: arbitraryText,
        dropFrames: arbitraryText,
        keepFrames: arbitraryText,
        defaultSampleType: arbitraryText,
        timeNanos: arbitraryInt64,
        durationNanos: arbitraryInt64,
        periodType: valueType,
        period: arbitraryInt64,
      },
      { noNullPrototype: true },
    ),
  });
}

function profileOf(counts: Counts, parts: Parts): Profile {
  const strings = [''];
  const index = new Map([['', 0]]);
  const intern = (name: string): number => {
    let at = index.get(name);
    if (at === undefined) index.set(name, (at = strings.push(name) - 1));
    return at;
  };
  const { samples, locations, functions, mappings, header } = parts;
  const lines = locations.flatMap(location => location.lines);
  // A label is a string, or a number that is not 0 or has a unit: nothing else can be written.
  const labelsOf = samples.map(sample =>
    sample.labels
      .map(({ key, str, num, unit }) => (str === '' ? { key, str, num, unit } : { key, str, num: 0n, unit: '' }))
      .filter(({ str, num, unit }) => str !== '' || num !== 0n || unit !== ''),
  );
  const labels = labelsOf.flat();
  return {
    ...header,
    sampleTypes: counts.types,
    samples: {
      length: samples.length,
      stackStart: offsets(samples.map(({ stack }) => stack.length)),
      stackLocations: Uint32Array.from(samples.flatMap(({ stack }) => stack)),
      values: counts.types.map((_, t) => int64Column(samples.map(({ values }) => values[t]))),
      labelStart: offsets(labelsOf.map(list => list.length)),
      labels: {
        length: labels.length,
        key: Uint32Array.from(labels, ({ key }) => intern(key)),
        str: Uint32Array.from(labels, ({ str }) => intern(str)),
        num: int64Column(labels.map(({ num }) => num)),
        unit: Uint32Array.from(labels, ({ unit }) => intern(unit)),
      },
    },
    mappings: mappings.map((mapping, i) => ({ id: parts.mappingIds[i], ...mapping })),
    locations: {
      length: locations.length,
      id: BigUint64Array.from(parts.locationIds),
      mapping: Int32Array.from(locations, ({ mapping }) => mapping),
      address: BigUint64Array.from(locations, ({ address }) => address),
      isFolded: Uint8Array.from(locations, ({ isFolded }) => isFolded),
      lineStart: offsets(locations.map(location => location.lines.length)),
      lines: {
        length: lines.length,
        fn: Int32Array.from(lines, ({ fn }) => fn),
        line: int64Column(lines.map(row => row.line)),
        column: int64Column(lines.map(row => row.column)),
      },
    },
    functions: {
      length: functions.length,
      id: BigUint64Array.from(parts.functionIds),
      name: Uint32Array.from(functions, ({ name }) => intern(name)),
      systemName: Uint32Array.from(functions, ({ systemName }) => intern(systemName)),
      filename: Uint32Array.from(functions, ({ filename }) => intern(filename)),
      startLine: int64Column(functions.map(({ startLine }) => startLine)),
    },
    strings,
  };
}

function offsets(lengths: readonly number[]): Uint32Array {
  const out = new Uint32Array(lengths.length + 1);
  lengths.forEach((length, i) => (out[i + 1] = out[i] + length));
  return out;
}
