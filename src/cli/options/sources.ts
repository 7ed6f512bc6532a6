/** Options for what is read besides files: Prometheus, a continuous profiler, the store of a watch. */
import type { PrometheusAccess } from '../connect/open-target.ts';
import type { Io } from '../io.ts';
import { file, httpUrl, text, duration, custom } from './kinds.ts';
import { type Option, shown, type OptionTable } from './option.ts';
import { Failure } from '../../base/errors.ts';
import { withoutBraces } from '../../base/matcher-text.ts';
import type { ProfilerRequest } from '../connect/past-profiles.ts';
import { parseStoreUrl } from '../../store/io/postgres/store-url.ts';

export interface PrometheusValues {
  readonly prometheus: string;
  readonly prometheusTokenFile: string;
  readonly prometheusHeader: Readonly<Record<string, string>>;
  readonly selector: string;
}

const HEADER = /^([A-Za-z0-9-]{1,64}):[ \t]*([\x20-\x7e]{1,1000})$/;

export const PROMETHEUS_HEADER: Option<Readonly<Record<string, string>>> = {
  placeholder: 'NAME: VALUE',
  help: "sent with every request, such as 'X-Scope-OrgID: team' for a tenant of Mimir",
  repeats: true,
  needs: ['prometheus'],
  read: (texts, flag) =>
    Object.fromEntries(
      texts.map(text => {
        const [, name, value] = HEADER.exec(text) ?? [];
        if (name === undefined || value === undefined)
          throw new Failure('usage', `${flag} takes NAME: VALUE such as 'X-Scope-OrgID: team', not ${shown(text)}`);
        return [name, value];
      }),
    ),
};

export const SELECTOR: Option<string> = text({
  placeholder: 'LABELS',
  default: '',
  needs: ['prometheus'],
  help: 'only series with these labels, such as job="kubelet"',
});

/** The access that these options describe; undefined without --prometheus. */
export function prometheusAccess(values: PrometheusValues, { cwd, env }: Io): PrometheusAccess | undefined {
  const { prometheus: url, prometheusTokenFile: tokenFile, prometheusHeader: headers } = values;
  if (url === '') return undefined;
  const none = { user: '', passwordFile: '', certificateAuthority: '', insecure: false };
  return { url, tokenFile, headers, ...none, cwd, env };
}

/** '' without the option. */
export function prometheusUrl(help: string): Option<string> {
  const option = httpUrl({ help });
  return { ...option, read: (texts, flag) => option.read(texts, flag) ?? '' };
}

export const PROMETHEUS_TOKEN_FILE: Option<string> = file({
  default: '',
  needs: ['prometheus'],
  help: 'a bearer token for Prometheus',
});

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

export function storeOptions(
  help: string,
  excludes: readonly string[] = [],
): { readonly store: Option<string>; readonly storeFile: Option<string> } {
  return {
    store: custom(
      'postgres://USER@HOST/DATABASE',
      'postgres://USER@HOST/DATABASE',
      storeUrl,
    )({
      default: '',
      excludes,
      help: `${help}; the password is read from PGPASSWORD or ~/.pgpass`,
    }),
    storeFile: file({
      default: '',
      excludes: ['store', ...excludes],
      help: 'a file with that address, so that nobody sees a password in it',
    }),
  };
}

/** Throws a Failure that says what is wrong with it, without a password. */
function storeUrl(text: string): string {
  if (text !== '') parseStoreUrl(text);
  return text;
}
