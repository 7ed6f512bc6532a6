import type { Profile } from '../../src/profile/profile.ts';

/** Puts a frame `key=value`, or `key=N/A`, under the root of every sample; locations are added by first appearance. */
export function withLabelRoots(profile: Profile, key: string): Profile {
  const { samples, locations, functions } = profile;
  const strings = [...profile.strings];
  const roots = new Map<string, number>();
  const stackStart = new Uint32Array(samples.length + 1);
  const stackLocations: number[] = [];
  for (let sample = 0; sample < samples.length; sample++) {
    stackLocations.push(...samples.stackLocations.subarray(samples.stackStart[sample], samples.stackStart[sample + 1]));
    const name = `${key}=${labelValue(profile, sample, key) ?? 'N/A'}`;
    if (!roots.has(name)) roots.set(name, locations.length + roots.size);
    stackLocations.push(roots.get(name)!);
    stackStart[sample + 1] = stackLocations.length;
  }
  const names = [...roots.keys()].map(name => strings.push(name) - 1);
  const added = names.map((_, i) => i);
  const zeros = names.map(() => 0);
  const lines = locations.lines;
  return {
    ...profile,
    strings,
    samples: { ...samples, stackStart, stackLocations: Uint32Array.from(stackLocations) },
    locations: {
      length: locations.length + names.length,
      id: BigUint64Array.from([...locations.id, ...added.map(i => BigInt(locations.length + i + 1))]),
      mapping: Int32Array.from([...locations.mapping, ...names.map(() => -1)]),
      address: BigUint64Array.from([...locations.address, ...names.map(() => 0n)]),
      isFolded: Uint8Array.from([...locations.isFolded, ...zeros]),
      lineStart: Uint32Array.from([...locations.lineStart, ...added.map(i => lines.length + i + 1)]),
      lines: {
        length: lines.length + names.length,
        fn: Int32Array.from([...lines.fn, ...added.map(i => functions.length + i)]),
        line: Float64Array.from([...lines.line].map(Number).concat(zeros)),
        column: Float64Array.from([...lines.column].map(Number).concat(zeros)),
      },
    },
    functions: {
      length: functions.length + names.length,
      id: BigUint64Array.from([...functions.id, ...added.map(i => BigInt(functions.length + i + 1))]),
      name: Uint32Array.from([...functions.name, ...names]),
      systemName: Uint32Array.from([...functions.systemName, ...zeros]),
      filename: Uint32Array.from([...functions.filename, ...zeros]),
      startLine: Float64Array.from([...functions.startLine].map(Number).concat(zeros)),
    },
  };
}

function labelValue({ samples, strings }: Profile, sample: number, key: string): string | undefined {
  for (let i = samples.labelStart[sample]; i < samples.labelStart[sample + 1]; i++) {
    if (strings[samples.labels.key[i]] === key) return strings[samples.labels.str[i]];
  }
  return undefined;
}
