/** Makes profiles mergeable: the sample types they share, in the finest unit that any of them uses. */
import { expected, Failure } from '../../../base/failure.ts';
import { truncateToInt64 } from '../../../base/int64.ts';
import type { Profile, ValueType } from '../../profile.ts';
import { sameUnitFamily, scale } from '../measurement.ts';
import { scaleValues } from './scale-values.ts';

/** Reduces every profile to the sample types that all of them have, in the order of the first. */
export function shareSampleTypes(profiles: readonly Profile[]): Profile[] {
  const count = new Map<string, number>();
  for (const profile of profiles) {
    for (const { type } of profile.sampleTypes) count.set(type, (count.get(type) ?? 0) + 1);
  }
  const shared = profiles[0].sampleTypes.map(({ type }) => type).filter(type => count.get(type) === profiles.length);
  if (shared.length === 0) throw new Failure('unreadable', 'profiles have empty common sample type list');
  return profiles.map(profile => selectSampleTypes(profile, shared));
}

function selectSampleTypes(profile: Profile, types: readonly string[]): Profile {
  const columns = types.map(type => profile.sampleTypes.findIndex(candidate => candidate.type === type));
  if (columns.length === profile.sampleTypes.length && columns.every((column, i) => column === i)) return profile;
  return {
    ...profile,
    defaultSampleType: types.includes(profile.defaultSampleType) ? profile.defaultSampleType : types[0],
    sampleTypes: columns.map(column => profile.sampleTypes[column]),
    samples: { ...profile.samples, values: columns.map(column => profile.samples.values[column]) },
  };
}

/** Scales periods and values to the finest unit among the profiles. */
export function shareUnits(profiles: readonly Profile[]): Profile[] {
  if (profiles.length < 2) return [...profiles];
  const periodType = named('period type', () => finestType(profiles.map(profile => profile.periodType)));
  const typeCount = profiles[0].sampleTypes.length;
  for (const profile of profiles) {
    if (profile.sampleTypes.length !== typeCount) {
      throw new Failure('unreadable', `inconsistent samples type count: ${typeCount} != ${profile.sampleTypes.length}`);
    }
  }
  const sampleTypes = profiles[0].sampleTypes.map((_, t) =>
    named('sample types', () => finestType(profiles.map(profile => profile.sampleTypes[t]))),
  );
  return profiles.map(profile => {
    const ratios = profile.sampleTypes.map((type, t) => scale(1, type.unit, sampleTypes[t].unit).value);
    const period = scale(profile.period, profile.periodType.unit, periodType.unit).value;
    return scaleValues(
      {
        ...profile,
        period: profile.periodType.unit === periodType.unit ? profile.period : truncateToInt64(period),
        periodType: { type: profile.periodType.type, unit: periodType.unit },
        sampleTypes: profile.sampleTypes.map((type, t) => ({ type: type.type, unit: sampleTypes[t].unit })),
      },
      ratios,
    );
  });
}

function named<T>(what: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw new Failure('unreadable', `${what}: ${expected(error).message}`);
  }
}

function finestType(types: readonly ValueType[]): ValueType {
  let finest = types[0];
  for (const type of types.slice(1)) {
    if (!compatible(finest, type))
      throw new Failure('unreadable', `incompatible types: ${goText(finest)} ${goText(type)}`);
    if (scale(1, type.unit, finest.unit).value < 1) finest = type;
  }
  return finest;
}

function compatible(a: ValueType, b: ValueType): boolean {
  const singular = (type: string): string => (type.endsWith('s') ? type.slice(0, -1) : type);
  return singular(a.type) === singular(b.type) && (a.unit === b.unit || sameUnitFamily(a.unit, b.unit));
}

/** A value type as Go's %v prints the struct pprof keeps it in. */
export function goText({ type, unit }: ValueType): string {
  return `{${type} ${unit} 0 0}`;
}
