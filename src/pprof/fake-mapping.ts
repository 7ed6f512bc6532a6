/** pprof's driver gives a profile without mappings one, all zero, so that it can try to symbolize. Reports show it. */
import type { Profile } from '../model/profile.ts';

export function withFakeMapping(profile: Profile): Profile {
  if (profile.mappings.length > 0) return profile;
  return {
    ...profile,
    mappings: [
      {
        id: 1n,
        start: 0n,
        limit: 0n,
        offset: 0n,
        file: '',
        buildId: '',
        hasFunctions: false,
        hasFilenames: false,
        hasLineNumbers: false,
        hasInlineFrames: false,
      },
    ],
    locations: { ...profile.locations, mapping: new Int32Array(profile.locations.length) },
  };
}
