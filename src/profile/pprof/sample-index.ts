/** -sample_index: selects the sample value that a report shows. */
import type { Profile } from '../profile.ts';
import { Failure } from '../../base/failure.ts';

/** By number or by name; `inuse_X` also names a type `X`. Without either, the profile's default or the last type. */
export function sampleIndexByName(profile: Profile, wanted: string): number {
  const types = profile.sampleTypes.map(({ type }) => type);
  if (types.length === 0) throw new Failure('usage', 'profile has no samples');
  if (wanted === '') {
    const preferred = profile.defaultSampleType === '' ? -1 : types.indexOf(profile.defaultSampleType);
    return preferred >= 0 ? preferred : types.length - 1;
  }
  if (/^[+-]?[0-9]+$/.test(wanted)) {
    const index = Number(wanted);
    if (index < 0 || index >= types.length) {
      throw new Failure('usage', `sample_index ${wanted} is outside the range [0..${types.length - 1}]`);
    }
    return index;
  }
  const plain = wanted.startsWith('inuse_') ? wanted.slice('inuse_'.length) : wanted;
  const index = types.findIndex(type => type === wanted || type === plain);
  if (index < 0)
    throw new Failure('usage', `sample_index ${JSON.stringify(wanted)} must be one of: [${types.join(' ')}]`);
  return index;
}
