import { PLAN_ACTIONS } from '../../act/plan/plan.ts';
import { limitProblem } from '../../act/plan/limit.ts';
import { defineCommand, type Command } from '../options/command.ts';
import { targetOptions, targetsOf } from '../options/connection.ts';
import { draftOf, PLAN_OPTIONS } from '../options/plan.ts';
import type { AbortTask } from '../tasks/abort.ts';
import type { PlanTaskRequest } from '../tasks/plan.ts';
import type { PlanLimitRequest } from '../tasks/plan-limit.ts';
import { shown } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

const VERBS = [...PLAN_ACTIONS, 'limit', 'abort'] as const;

type Request =
  | { readonly kind: 'plan'; readonly plan: PlanTaskRequest }
  | { readonly kind: 'limit'; readonly limit: PlanLimitRequest }
  | { readonly kind: 'abort'; readonly abort: AbortTask };

export const command: Command = defineCommand({
  name: 'plan',
  summary: 'write what would be done about a leak, for review; changes nothing',
  usage: [
    'restart|cordon|drain|replace node/NAME... [-o plan.yaml] [options]',
    'limit node/NAME... --memory SIZE',
    'abort -f plan.yaml',
  ],
  examples: [
    [
      'oakum plan restart node/worker-17 --from ./oakum-worker-17/ -o plan.yaml',
      'the evidence that was saved is the reason',
    ],
    ["oakum plan restart --all-leaking --from http://localhost:7777 --via command --command 'restart-kubelet {node}'"],
    ['oakum plan drain node/worker-17 --from ./oakum-worker-17/ -o plan.yaml', 'asks the server about every eviction'],
    ['oakum plan limit node/worker-17 --memory 2Gi', 'prints a systemd drop-in'],
    ['oakum plan abort -f plan.yaml', 'undoes what an apply did and can be undone'],
  ],
  about:
    'Reads the cluster and writes a plan: why, each step with its exact call, the rights it needs, what must still hold before it, how to undo it, what will blink, and what to expect. A node is left out, with the reason, unless it leaks by --from and its evidence is saved. Nothing is changed until oakum apply.',
  operands: { subcommands: VERBS, words: ['node/'] },
  options: PLAN_OPTIONS,
  request: (values, [verb, ...operands], io): Request => {
    const options = targetOptions(values, io);
    if (verb === undefined) throw new Failure('usage', `plan needs one of ${VERBS.join(', ')}`);
    const refs = targetsOf(operands, options).map(ref => {
      if (ref.kind !== 'node') throw new Failure('usage', `only nodes can be planned for, not ${ref.kind}`);
      return ref;
    });
    const names = refs.map(({ name }) => name);
    const [cluster, other] = [...new Set(refs.map(ref => ref.cluster))];
    if (refs.some(ref => ref.cluster !== cluster))
      throw new Failure('usage', `a plan is for one cluster, not for ${cluster ?? other} and another`);
    if (verb === 'abort') {
      if (values.file === undefined) throw new Failure('usage', 'no plan given: plan abort -f plan.yaml');
      if (names.length > 0) throw new Failure('usage', 'abort takes a plan with -f, not nodes');
      return { kind: 'abort', abort: { file: values.file, options } };
    }
    if (values.file !== undefined) throw new Failure('usage', '-f is for plan abort; the plan is written with -o');
    const { from, fromTokenFile, catalogue, output, memory, lockNamespace } = values;
    const source = { from, fromTokenFile, catalogue };
    const action = PLAN_ACTIONS.find(one => one === verb);
    if (action !== undefined) {
      if (memory !== undefined) throw new Failure('usage', '--memory is for plan limit');
      return { kind: 'plan', plan: { options, cluster, from: source, draft: draftOf(action, names, values), output } };
    }
    if (verb !== 'limit') throw new Failure('usage', `there is no plan ${shown(verb)}; there are ${VERBS.join(', ')}`);
    if (names.length === 0) throw new Failure('usage', 'no node given; name node/NAME');
    if (memory === undefined) throw new Failure('usage', 'plan limit needs --memory, such as --memory 2Gi');
    const problem = limitProblem({ bytes: memory });
    if (problem !== undefined) throw new Failure('usage', `--memory: ${problem}`);
    return { kind: 'limit', limit: { options, cluster, from: source, names, bytes: memory, lockNamespace } };
  },
  run: async (request, io, { programName }) => {
    switch (request.kind) {
      case 'plan':
        return (await import('../tasks/plan.ts')).plan(request.plan, io, programName);
      case 'limit':
        return (await import('../tasks/plan-limit.ts')).planLimit(request.limit, io);
      case 'abort':
        return (await import('../tasks/abort.ts')).abort(request.abort, io);
    }
  },
});
