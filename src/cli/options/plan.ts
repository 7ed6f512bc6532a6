/** The options of `oakum plan`, and what they make. */
import type { DraftRequest } from '../../act/plan/draft-plan.ts';
import type { PlanAction, PlanPolicy, RestartVia } from '../../act/plan/plan.ts';
import { templateProblem } from '../../act/plan/distribution.ts';
import { CONNECTION_OPTIONS, type ConnectionValues } from './connection.ts';
import { byteSize, choice, duration, durationOrZero, file, flag, name, text, texts, wholeNumber } from './kinds.ts';
import type { OptionTable } from './option.ts';
import { CATALOGUE } from './shared.ts';
import { Failure } from '../../base/errors.ts';

export interface PlanValues extends ConnectionValues {
  readonly output: string | undefined;
  readonly file: string | undefined;
  readonly from: readonly string[];
  readonly fromTokenFile: string;
  readonly catalogue: string | undefined;
  readonly allLeaking: boolean;
  readonly selector: string | undefined;
  readonly via: RestartVia;
  readonly command: string | undefined;
  readonly image: string | undefined;
  readonly drain: boolean;
  readonly force: string | undefined;
  readonly again: boolean;
  readonly deleteEmptydirData: boolean;
  readonly evictUnmanaged: boolean;
  readonly gracePeriod: number | undefined;
  readonly drainTimeout: number;
  readonly maxConcurrent: number;
  readonly maxPerHour: number;
  readonly maxNotReady: number;
  readonly coolDown: number;
  readonly canaryWait: number;
  readonly lockNamespace: string;
  readonly memory: number | undefined;
}

const budget = 'Budget';
const how = 'How';
const evictions = 'Evictions';

export const PLAN_OPTIONS: OptionTable<PlanValues> = {
  output: file({ short: 'o', help: 'where to write the plan (default stdout)' }),
  file: file({ short: 'f', placeholder: 'PLAN', help: 'for abort: the plan' }),
  from: texts({
    placeholder: 'SOURCE',
    completes: 'files',
    help: 'what says that they leak: the address of oakum watch, a triage as JSON, or a folder of evidence',
  }),
  fromTokenFile: file({ default: '', needs: ['from'], help: 'the token for that oakum watch' }),
  catalogue: CATALOGUE,
  allLeaking: flag({ needs: ['from'], help: 'every node that leaks, by what --from says' }),
  selector: text({ short: 'l', placeholder: 'LABELS', help: 'nodes with these labels, as for kubectl' }),
  force: name({
    placeholder: 'REASON',
    help: 'plan without a verdict or evidence; the reason is written into the plan',
  }),
  again: flag({ help: 'restart a kubelet once more although its leak came back after the last restart' }),
  via: choice(['command', 'pod', 'print'])({
    section: how,
    default: 'print',
    help: 'command runs --command; pod makes one privileged pod; print waits until someone else did it',
  }),
  command: name({
    section: how,
    placeholder: 'TEMPLATE',
    help: "run for each node, without a shell: 'ssh {node} sudo systemctl restart kubelet'; also {address}, {instance}",
  }),
  image: name({ section: how, help: 'image of the pod, with nsenter (default one that the node has)' }),
  drain: flag({ section: how, help: 'evict the pods before a restart' }),
  memory: byteSize({ section: how, help: 'for limit: MemoryMax, such as 2Gi' }),
  deleteEmptydirData: flag({ section: evictions, help: 'also evict pods with an emptyDir, whose data is lost' }),
  evictUnmanaged: flag({ section: evictions, help: 'also evict pods that no controller brings back' }),
  gracePeriod: wholeNumber(0, 86_400)({ section: evictions, help: "seconds, instead of each pod's own" }),
  drainTimeout: duration({ section: evictions, default: '15m', help: 'for each node' }),
  maxConcurrent: wholeNumber(
    1,
    100,
  )({ section: budget, default: '1', help: 'nodes at a time, never two of one zone or pool' }),
  maxPerHour: wholeNumber(1, 1000)({ section: budget, default: '10', help: 'nodes an hour' }),
  maxNotReady: wholeNumber(
    0,
    100,
  )({ section: budget, default: '20', help: 'stop when this percentage of nodes is not Ready' }),
  coolDown: durationOrZero({ section: budget, default: '1h', help: 'between two restarts of one node' }),
  canaryWait: durationOrZero({ section: budget, default: '10m', help: 'between the first node and the second' }),
  lockNamespace: name({ section: budget, default: 'oakum', help: 'namespace of the lock and of the restart pod' }),
  ...CONNECTION_OPTIONS,
};

const LOCK_SECONDS = 60;
const PLAN_SECONDS = 30 * 60;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Throws a usage failure if options do not fit together. */
export function draftOf(
  action: PlanAction,
  names: readonly string[],
  values: PlanValues,
): Omit<DraftRequest, 'findings' | 'oakumVersion'> {
  const { via, command, image, selector, allLeaking, lockNamespace } = values;
  if (names.length === 0 && selector === undefined && !allLeaking)
    throw new Failure('usage', 'no node given; name node/NAME, or use --selector or --all-leaking');
  if (names.length > 0 && allLeaking) throw new Failure('usage', '--all-leaking and node names exclude each other');
  if (command !== undefined && via !== 'command') throw new Failure('usage', '--command is for --via command');
  if (image !== undefined && via !== 'pod') throw new Failure('usage', '--image is for --via pod');
  const problem = command === undefined ? undefined : templateProblem(command);
  if (problem !== undefined) throw new Failure('usage', `--command: ${problem}`);
  if (!isNamespace(lockNamespace)) throw new Failure('usage', `--lock-namespace: ${lockNamespace} is not a namespace`);
  return {
    action,
    names,
    selector: selector ?? null,
    allLeaking,
    force: values.force ?? null,
    isDirect: values.direct,
    restart: { via, template: command ?? null, image: image ?? null, namespace: lockNamespace },
    drain: {
      before: values.drain,
      maxConcurrent: 5,
      retrySeconds: Math.min(300, values.drainTimeout),
      timeoutSeconds: Math.ceil(values.drainTimeout),
      gracePeriodSeconds: values.gracePeriod ?? null,
      deleteEmptyDirData: values.deleteEmptydirData,
      force: values.evictUnmanaged,
    },
    policy: {
      ...planPolicy(lockNamespace),
      maxConcurrent: values.maxConcurrent,
      maxPerHour: values.maxPerHour,
      maxNotReadyPercent: values.maxNotReady,
      coolDownSeconds: Math.round(values.coolDown),
      canaryWaitSeconds: Math.round(values.canaryWait),
      restartAgain: values.again,
    },
  };
}

export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text);
}

/** The defaults, as the options above have them. */
export function planPolicy(lockNamespace: string): PlanPolicy {
  return {
    maxConcurrent: 1,
    maxPerHour: 10,
    maxNotReadyPercent: 20,
    stopAtFirstFailure: true,
    coolDownSeconds: 3600,
    canaryWaitSeconds: 600,
    restartAgain: false,
    maxAgeSeconds: PLAN_SECONDS,
    lock: { namespace: lockNamespace, name: 'oakum-actions', durationSeconds: LOCK_SECONDS },
  };
}
