/** Options of `oakum watch` whose values need a look of their own. */
import { Failure } from '../../base/failure.ts';
import { parseListenAddress, type ListenAddress } from '../../server/listen-address.ts';
import { custom, flag, httpUrl } from './kinds.ts';
import type { Option } from './option.ts';
import { parseDuration } from './option-values.ts';

const MIN_INTERVAL_SECONDS = 5;
const MAX_INTERVAL_SECONDS = 600;
const MAX_PACE = 120;

export const LISTEN: Option<ListenAddress> = custom(
  'HOST:PORT',
  'an address such as localhost:7777',
  listenAddress,
)({
  default: 'localhost:7777',
  help: 'where to serve the web UI',
});

export const INTERVAL: Option<number | undefined> = custom(
  'TIME',
  `a time from ${MIN_INTERVAL_SECONDS}s to ${MAX_INTERVAL_SECONDS / 60}m`,
  interval,
)({
  defaultNote: '60s',
  help: 'time between two samples of a target',
});

/** Without credentials. */
export function plainAlertmanager(url: string): {
  readonly url: string;
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
} {
  return { url, tokenFile: '', certificateAuthority: '', insecure: false };
}

export const ALERTMANAGER: Option<readonly string[]> = {
  placeholder: 'URL',
  help: 'post incidents there as alerts; give every member of a cluster. --config has more ways',
  repeats: true,
  read: (texts, flag) => texts.map(text => httpUrl({ help: '' }).read([text], flag) ?? ''),
};

export const DEMO: Option<boolean> = flag({
  excludes: [
    'prometheus',
    'config',
    'pyroscope',
    'parca',
    'store',
    'storeFile',
    'evidence',
    'alertmanager',
    'allowActions',
    'nodeCondition',
    'memoryLimit',
    'leastGrowth',
    'timeScale',
  ],
  help: 'play a recorded cluster instead of watching a live one',
});

export const PACE: Option<number | undefined> = custom(
  'N',
  `a number from 1 to ${MAX_PACE}`,
  pace,
)({
  needs: ['demo'],
  defaultNote: '12',
  help: 'how many times faster than recorded',
});

function listenAddress(given: string): ListenAddress {
  const address = parseListenAddress(given);
  if ('problem' in address) throw new Failure('usage', `--listen: ${address.problem}`);
  return address;
}

function interval(given: string): number | undefined {
  const seconds = parseDuration(given) ?? 0;
  return seconds >= MIN_INTERVAL_SECONDS && seconds <= MAX_INTERVAL_SECONDS ? seconds : undefined;
}

function pace(given: string): number | undefined {
  const times = given.trim() === '' ? NaN : Number(given);
  return times >= 1 && times <= MAX_PACE ? times : undefined;
}
