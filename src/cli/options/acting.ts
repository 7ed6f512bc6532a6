/** How Oakum acts on a cluster: what `oakum plan` and `oakum watch` have in common, and what a watch may do. */
import type { DrainChoice, PlanPolicy, RestartVia } from '../../act/plan/plan.ts';
import { templateProblem } from '../../act/plan/distribution.ts';
import type { RestartChoice } from '../../act/plan/node-steps.ts';
import { choice, file, flag, name, isNamespace } from './kinds.ts';
import type { OptionTable } from './option.ts';
import { Failure } from '../../base/errors.ts';

export interface ActionValues {
  readonly allowActions: boolean;
  readonly actionsTokenFile: string;
  readonly restartVia: RestartVia;
  readonly restartCommand: string | undefined;
  readonly restartImage: string | undefined;
  readonly lockNamespace: string;
  readonly nodeCondition: boolean;
}

const section = 'Acting';

export const ACTION_OPTIONS: OptionTable<ActionValues> = {
  allowActions: flag({
    section,
    needs: ['actionsTokenFile'],
    excludes: ['prometheus'],
    help: 'let people with a token for it apply plans; needs the rights of oakum access --for act',
  }),
  actionsTokenFile: file({
    section,
    default: '',
    needs: ['allowActions'],
    help: 'who may act: a name and a token of their own on each line',
  }),
  restartVia: choice(['command', 'pod', 'print'])({
    section,
    default: 'print',
    help: 'how plans made here restart a kubelet, as for oakum plan --via',
  }),
  restartCommand: name({
    section,
    placeholder: 'TEMPLATE',
    help: "for --restart-via command, run without a shell: 'ssh {node} sudo systemctl restart kubelet'",
  }),
  restartImage: name({ section, placeholder: 'IMAGE', help: 'for --restart-via pod (default one that the node has)' }),
  lockNamespace: name({ section, default: 'oakum', help: 'namespace of the lock and of the restart pod' }),
  nodeCondition: flag({
    section,
    excludes: ['prometheus'],
    help: 'set the condition KubeletLeaking on nodes that leak; needs patch on nodes/status',
  }),
};

/** How plans that are made in a watch act; the defaults of `oakum plan` for the rest. */
export interface WatchActions {
  readonly isAllowed: boolean;
  readonly tokenFile: string;
  readonly restart: RestartChoice;
  readonly drain: DrainChoice;
  readonly policy: PlanPolicy;
}

/** Throws a usage failure if options do not fit together. */
export function actionsOf(values: ActionValues): WatchActions {
  const { restartVia: via, restartCommand: command, restartImage: image, lockNamespace: namespace } = values;
  return {
    isAllowed: values.allowActions,
    tokenFile: values.actionsTokenFile,
    restart: restartChoice({ via, command, image, namespace }, 'restart-'),
    drain: {
      maxConcurrent: 5,
      retrySeconds: 300,
      timeoutSeconds: 900,
      gracePeriodSeconds: null,
      deleteEmptyDirData: false,
      force: false,
    },
    policy: planPolicy(namespace),
  };
}

interface RestartValues {
  readonly via: RestartVia;
  readonly command: string | undefined;
  readonly image: string | undefined;
  readonly namespace: string;
}

/** How kubelets are restarted. The options are --via, --command and --image, with a prefix in `oakum watch`. */
export function restartChoice(
  { via, command, image, namespace }: RestartValues,
  prefix: '' | 'restart-' = '',
): RestartChoice {
  if (command !== undefined && via !== 'command')
    throw new Failure('usage', `--${prefix}command is for --${prefix}via command`);
  if (image !== undefined && via !== 'pod') throw new Failure('usage', `--${prefix}image is for --${prefix}via pod`);
  const problem = command === undefined ? undefined : templateProblem(command);
  if (problem !== undefined) throw new Failure('usage', `--${prefix}command: ${problem}`);
  if (!isNamespace(namespace)) throw new Failure('usage', `--lock-namespace: ${namespace} is not a namespace`);
  return { via, template: command ?? null, image: image ?? null, namespace };
}

const LOCK_SECONDS = 60;
const PLAN_SECONDS = 30 * 60;

/** The defaults, as the options of `oakum plan` have them. */
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
