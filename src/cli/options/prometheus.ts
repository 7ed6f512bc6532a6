/** How to reach a Prometheus. */
import type { PrometheusAccess } from '../connect/open-target.ts';
import type { Io } from '../terminal/io.ts';
import { file, httpUrl, text } from './kinds.ts';
import { type Option, shown } from './option.ts';
import { Failure } from '../../base/errors.ts';

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
