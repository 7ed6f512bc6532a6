/** Options for the profiles that a continuous profiler has. */
import { withoutBraces } from '../../base/matcher-text.ts';
import type { ProfilerRequest } from '../connect/past-profiles.ts';
import { duration, file, httpUrl, text } from './kinds.ts';
import type { Option, OptionTable } from './option.ts';

/** Without how far back to look, which other sources of a command may have too. */
export interface ProfilerAccessValues {
  readonly pyroscope: string | undefined;
  readonly parca: string | undefined;
  readonly profiles: string;
  readonly profilerTokenFile: string;
  readonly profilerTenant: string;
}

export interface ProfilerValues extends ProfilerAccessValues {
  readonly since: number;
}

/** `which` says what --profiles is for, and `excludes` what a profiler is no use with. */
export function profilerOptions(which: string, excludes: readonly string[] = []): OptionTable<ProfilerAccessValues> {
  return {
    pyroscope: httpUrl({
      excludes: ['parca', ...excludes],
      help: 'read heap and goroutine profiles of the past from this Pyroscope',
    }),
    parca: httpUrl({ excludes, help: 'the same from this Parca' }),
    profiles: text({ placeholder: 'LABELS', default: '', help: which }),
    profilerTokenFile: file({ default: '', help: 'a bearer token for the profiler' }),
    profilerTenant: text({ placeholder: 'TENANT', default: '', help: 'X-Scope-OrgID of a Pyroscope with tenants' }),
  };
}

export function profilesSince(perKind: number): Option<number> {
  return duration({ default: '6h', help: `how far back to look; up to ${perKind} profiles of each kind are read` });
}

/** Undefined without --pyroscope and --parca. */
export function profilerRequest(values: ProfilerValues): ProfilerRequest | undefined {
  const { pyroscope, parca, profiles, since, profilerTokenFile: tokenFile, profilerTenant: tenant } = values;
  const url = pyroscope ?? parca;
  if (url === undefined) return undefined;
  return {
    kind: pyroscope === undefined ? 'parca' : 'pyroscope',
    url,
    selector: withoutBraces(profiles),
    sinceSeconds: since,
    tokenFile,
    headers: tenant === '' ? {} : { 'x-scope-orgid': tenant },
  };
}
