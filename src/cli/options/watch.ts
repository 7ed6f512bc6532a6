/** Options of `oakum watch` whose values need a look of their own. */
import { type ListenAddress, parseListenAddress } from '../../watch/server/listen-address.ts';
import type { Example } from './command.ts';
import { choice, custom, flag, httpUrl } from './kinds.ts';
import type { Option, OptionTable } from './option.ts';
import { parseDuration } from './option-values.ts';
import { Failure } from '../../base/errors.ts';
import { isNamespace } from './plan.ts';

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
    'clusters',
    'pyroscope',
    'parca',
    'store',
    'storeFile',
    'replica',
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

/** Values between commas, or the option given several times. */
export const CLUSTERS: Option<readonly string[]> = {
  placeholder: 'WHAT,...',
  help: 'several clusters at once: a folder of kubeconfigs, or contexts of the kubeconfig, such as prod-*',
  repeats: true,
  completes: 'folders',
  excludes: ['context', 'prometheus'],
  read: (texts, flag) => {
    const all = texts.flatMap(text => text.split(',').map(item => item.trim()));
    if (all.includes('')) throw new Failure('usage', `${flag} takes a folder of kubeconfigs or names of contexts`);
    return all;
  },
};

export const PACE: Option<number | undefined> = custom(
  'N',
  `a number from 1 to ${MAX_PACE}`,
  pace,
)({
  needs: ['demo'],
  defaultNote: '12',
  help: 'how many times faster than recorded',
});

export const WATCH_EXAMPLES: readonly Example[] = [
  ['oakum watch --demo', 'a recorded cluster played fast: see it in three minutes'],
  ['oakum watch', "all nodes of the kubeconfig's cluster"],
  ['oakum watch http://localhost:6060 apiserver', 'only these targets; with --nodes, the nodes too'],
  [`oakum watch --prometheus https://prom.example.com --selector 'job="kubelet"'`],
  ['oakum watch --capture --data /var/lib/oakum', 'also take profiles before a kill, and keep them there'],
  ['oakum watch --pyroscope http://pyroscope:4040', 'compares what is suspected with its past'],
  [
    'oakum watch --store postgres://oakum@db/oakum --replica auto',
    'several of these share the targets, and any may die',
  ],
  ["oakum watch --clusters 'prod-*'", 'all contexts of the kubeconfig that match; or a folder of kubeconfigs'],
  ['oakum watch --listen 0:7777 --listen-token-file token'],
  [
    'oakum watch --allow-actions --actions-token-file people',
    'plans can be applied on the page of an incident, by these people',
  ],
];

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

/** Several watches over one store. */
export type ReplicaMode = 'auto' | 'postgres' | 'lease';

interface ReplicaValues {
  readonly replica: ReplicaMode | undefined;
  readonly replicaId: string | undefined;
  readonly replicaNamespace: string | undefined;
}

const section = 'Replicas';

export const REPLICA_OPTIONS: OptionTable<ReplicaValues> = {
  replica: choice(['auto', 'postgres', 'lease'])({
    section,
    help: 'share the targets with other watches over the same --store; they know of each other by its rows, or by Leases of the cluster (auto: Leases inside the cluster that it watches)',
  }),
  replicaId: custom(
    'NAME',
    'a name of at most 63 letters, digits, dots and dashes',
    replicaId,
  )({
    section,
    needs: ['replica'],
    defaultNote: 'the name of the host',
    help: 'of this replica; each has its own',
  }),
  replicaNamespace: custom(
    'NAME',
    'a namespace',
    namespaceOfLeases,
  )({
    section,
    needs: ['replica'],
    defaultNote: 'that of the pod, or oakum',
    help: 'of the Leases',
  }),
};

export function isReplicaId(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/.test(text);
}

function replicaId(text: string): string {
  if (!isReplicaId(text))
    throw new Failure('usage', `--replica-id takes a name of at most 63 letters, digits, dots and dashes, not ${text}`);
  return text;
}

function namespaceOfLeases(text: string): string {
  if (!isNamespace(text)) throw new Failure('usage', `--replica-namespace: ${text} is not a namespace`);
  return text;
}
