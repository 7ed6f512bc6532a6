/** Granularity: blanks the fields that a report must not distinguish, so that equal locations become one node. */
import type { Profile } from '../../profile.ts';
import { selectLines } from './stacks.ts';

export type Granularity = '' | 'functions' | 'filefunctions' | 'files' | 'lines' | 'addresses';

export interface AggregateOptions {
  readonly granularity: Granularity;
  readonly inlines: boolean;
  readonly columns: boolean;
}

export function aggregate(profile: Profile, options: AggregateOptions): Profile {
  const { granularity, inlines } = options;
  if (granularity === 'addresses' && inlines) return profile;
  const address = granularity === 'addresses';
  const line = address || granularity === 'lines';
  const file = line || granularity === 'files' || granularity === 'filefunctions';
  const name = granularity !== 'files';

  let out: Profile = {
    ...profile,
    mappings: profile.mappings.map(mapping => ({
      ...mapping,
      hasInlineFrames: mapping.hasInlineFrames && inlines,
      hasFunctions: mapping.hasFunctions && name,
      hasFilenames: mapping.hasFilenames && file,
      hasLineNumbers: mapping.hasLineNumbers && line,
    })),
  };
  if (!name || !file) {
    const { functions } = out;
    const blank = new Uint32Array(functions.length);
    out = {
      ...out,
      functions: {
        ...functions,
        name: name ? functions.name : blank,
        systemName: name ? functions.systemName : blank,
        filename: file ? functions.filename : blank,
      },
    };
  }
  if (!inlines) out = selectLines(out, (_, __, to) => i => i === to - 1);
  const { locations } = out;
  const columns = line && options.columns;
  return {
    ...out,
    locations: {
      ...locations,
      address: address ? locations.address : new BigUint64Array(locations.length),
      lines: {
        ...locations.lines,
        line: line ? locations.lines.line : new Float64Array(locations.lines.length),
        column: columns ? locations.lines.column : new Float64Array(locations.lines.length),
      },
    },
  };
}
