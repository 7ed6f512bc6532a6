/** pprof's driver gives a profile without mappings one, all zero, so that it can try to symbolize. Reports show it. */
import { BLANK_MAPPING } from '../../model/profile-builder.ts';
import type { Profile } from '../../model/profile.ts';

export function withFakeMapping(profile: Profile): Profile {
  if (profile.mappings.length > 0) return profile;
  return {
    ...profile,
    mappings: [BLANK_MAPPING],
    locations: { ...profile.locations, mapping: new Int32Array(profile.locations.length) },
  };
}
