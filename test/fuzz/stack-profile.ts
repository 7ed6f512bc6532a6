/** Profiles written as stacks: `leaf;caller;main`, `inner+outer` for inlined frames. */
import { ProfileBuilder, type LabelRow } from '../../src/profile/profile-builder.ts';
import type { Profile } from '../../src/profile/profile.ts';

export function profileOf(
  stacks: readonly (readonly [stack: string, value: number, labels?: readonly LabelRow[]])[],
): Profile {
  const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
  const known = new Map<string, number>();
  const location = (text: string): number => {
    let at = known.get(text);
    if (at === undefined) {
      // `inner+outer`: inlined.
      const lines = text.split('+').map((name, i) => ({ fn: b.internFunction(name, `${name}.go`), line: i + 1 }));
      known.set(text, (at = b.addLocation({ address: BigInt(known.size + 1), lines })));
    }
    return at;
  };
  for (const [stack, value, labels] of stacks) b.addSample(stack.split(';').map(location), [value], labels);
  return b.finish();
}

/** Stacks as `profileOf` takes them. */
export function stacksOf(profile: Profile): string[] {
  const { samples, locations, functions, strings } = profile;
  return Array.from({ length: samples.length }, (_, s) =>
    [...samples.stackLocations.subarray(samples.stackStart[s], samples.stackStart[s + 1])]
      .map(location =>
        [...locations.lines.fn.subarray(locations.lineStart[location], locations.lineStart[location + 1])]
          .map(fn => strings[functions.name[fn]])
          .join('+'),
      )
      .join(';'),
  );
}
