/** pprof adds an all-zero mapping to a profile without mappings, in order to try to symbolize it. Reports show it. */
import { BLANK_MAPPING } from '../../profile-builder.ts';
import type { Profile } from '../../profile.ts';

export function withFakeMapping(profile: Profile): Profile {
  if (profile.mappings.length > 0) return profile;
  return {
    ...profile,
    mappings: [BLANK_MAPPING],
    locations: { ...profile.locations, mapping: new Int32Array(profile.locations.length) },
  };
}
