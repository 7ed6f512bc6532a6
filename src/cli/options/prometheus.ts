/** How to reach a Prometheus. */
import { file, httpUrl } from './kinds.ts';
import type { Option } from './option.ts';

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
