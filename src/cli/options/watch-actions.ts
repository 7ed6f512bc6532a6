/** What `oakum watch` may do to a cluster, and how. */
import type { PlanPolicy, RestartVia } from '../../act/plan/plan.ts';
import { templateProblem } from '../../act/plan/distribution.ts';
import type { DrainChoice, RestartChoice } from '../../act/plan/node-steps.ts';
import { choice, file, flag, name } from './kinds.ts';
import type { OptionTable } from './option.ts';
import { isNamespace, planPolicy } from './plan.ts';
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
  readonly drain: Omit<DrainChoice, 'before'>;
  readonly policy: PlanPolicy;
}

/** Throws a usage failure if options do not fit together. */
export function actionsOf(values: ActionValues): WatchActions {
  const { restartVia: via, restartCommand: command, restartImage: image, lockNamespace: namespace } = values;
  if (command !== undefined && via !== 'command')
    throw new Failure('usage', '--restart-command is for --restart-via command');
  if (image !== undefined && via !== 'pod') throw new Failure('usage', '--restart-image is for --restart-via pod');
  const problem = command === undefined ? undefined : templateProblem(command);
  if (problem !== undefined) throw new Failure('usage', `--restart-command: ${problem}`);
  if (!isNamespace(namespace)) throw new Failure('usage', `--lock-namespace: ${namespace} is not a namespace`);
  return {
    isAllowed: values.allowActions,
    tokenFile: values.actionsTokenFile,
    restart: { via, template: command ?? null, image: image ?? null, namespace },
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
