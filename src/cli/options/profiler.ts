/** Options for the profiles that a continuous profiler has. */
import type { ProfilerRequest } from '../connect/past-profiles.ts';
import { duration, file, httpUrl, text } from './kinds.ts';
import type { OptionTable } from './option.ts';

export interface ProfilerValues {
  readonly pyroscope: string | undefined;
  readonly parca: string | undefined;
  readonly profiles: string;
  readonly since: number;
  readonly profilerTokenFile: string;
  readonly profilerTenant: string;
}

export const PROFILER_OPTIONS: OptionTable<ProfilerValues> = {
  pyroscope: httpUrl({ excludes: ['parca'], help: 'read heap and goroutine profiles of the past from this Pyroscope' }),
  parca: httpUrl({ help: 'the same from this Parca' }),
  profiles: text({
    placeholder: 'LABELS',
    default: '',
    help: 'which processes: labels such as service_name="kcp", pod="kcp-0"',
  }),
  since: duration({ default: '6h', help: 'how far back to look; up to 8 profiles of each kind are read' }),
  profilerTokenFile: file({ default: '', help: 'a bearer token for the profiler' }),
  profilerTenant: text({ placeholder: 'TENANT', default: '', help: 'X-Scope-OrgID of a Pyroscope with tenants' }),
};

/** Undefined without --pyroscope and --parca. */
export function profilerRequest(values: ProfilerValues): ProfilerRequest | undefined {
  const { pyroscope, parca, profiles, since, profilerTokenFile: tokenFile, profilerTenant: tenant } = values;
  const url = pyroscope ?? parca;
  if (url === undefined) return undefined;
  return {
    kind: pyroscope === undefined ? 'parca' : 'pyroscope',
    url,
    selector: profiles.replace(/^\{|\}$/g, ''),
    sinceSeconds: since,
    tokenFile,
    headers: tenant === '' ? {} : { 'x-scope-orgid': tenant },
  };
}
