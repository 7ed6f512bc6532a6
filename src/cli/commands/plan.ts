/** `oakum plan`: writes what would be done, for review. Changes nothing. */
import { createHash } from 'node:crypto';
import { encodeText } from '../../base/text.ts';
import { draftPlan, type DraftRequest } from '../../act/plan/draft-plan.ts';
import { type Plan, type PlanAction, PLAN_ACTIONS } from '../../act/plan/plan.ts';
import { planYaml, readPlan } from '../../act/plan/plan-file.ts';
import { planText } from '../../act/plan/plan-text.ts';
import { clusterName } from '../../evidence/target.ts';
import { openKube, optionsAt } from '../connect/open-target.ts';
import { readFindings } from '../connect/read-findings.ts';
import { OWNER_ONLY, writeFileAtomically } from '../connect/write-file-atomically.ts';
import { CONNECTION_OPTIONS, type TargetOptions, targetOptions, targetsOf } from '../options/connection.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { gatherClusterFacts } from '../../act/plan/gather-facts.ts';
import { limitAdvice, limitText, limitProblem } from '../../act/plan/limit.ts';
import { isName } from '../../act/plan/distribution.ts';
import { withLimit } from '../../act/plan/evidence-findings.ts';
import {
  byteSize,
  choice,
  duration,
  durationOrZero,
  file,
  flag,
  name,
  text,
  texts,
  wholeNumber,
} from '../options/kinds.ts';
import { shown, type ValuesOf } from '../options/option.ts';
import { CATALOGUE } from '../options/shared.ts';
import { commandLine, type RequestOf, defineCommand, type Command, type Call } from '../options/command.ts';
import { abort, abortNode, approve } from './apply.ts';
import { restartChoice, planPolicy } from '../options/acting.ts';

const VERBS = [...PLAN_ACTIONS, 'limit', 'approve', 'abort'] as const;

const budget = 'Budget';
const how = 'How';
const evictions = 'Evictions';

const OPTIONS = {
  output: file({ short: 'o', help: 'where to write the plan (default stdout)' }),
  file: file({ short: 'f', placeholder: 'PLAN', help: 'for approve and abort: the plan' }),
  node: name({ help: 'for abort: what any plan left on this node, also without its file' }),
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

const line = commandLine({
  name: 'plan',
  usage: [
    'restart|cordon|drain|replace node/NAME... [-o plan.yaml] [options]',
    'limit node/NAME... --memory SIZE',
    'approve -f plan.yaml',
    'abort -f plan.yaml|--node NAME',
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
    ['oakum plan abort --node worker-17', 'the same from the cluster alone, when the file is lost'],
  ],
  about:
    'Reads the cluster and writes a plan: why, each step with its exact call, the rights it needs, what must still hold before it, how to undo it, what will blink, and what to expect. A node is left out, with the reason, unless it leaks by --from and its evidence is saved. Nothing is changed until oakum apply.',
  operands: { subcommands: VERBS, words: ['node/'] },
  options: OPTIONS,
  request: (values, [verb, ...operands], io) => {
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
    if (verb === 'abort' || verb === 'approve') return ofFile(verb, names, values, options);
    if (values.node !== undefined) throw new Failure('usage', '--node is for plan abort; name node/NAME');
    if (values.file !== undefined)
      throw new Failure('usage', '-f is for plan approve and abort; the plan is written with -o');
    const { from, fromTokenFile, catalogue, output, memory, lockNamespace } = values;
    const source = { from, fromTokenFile, catalogue };
    const action = PLAN_ACTIONS.find(one => one === verb);
    if (action !== undefined) {
      if (memory !== undefined) throw new Failure('usage', '--memory is for plan limit');
      const draft = draftOf(action, names, values);
      return { kind: 'plan' as const, options, cluster, from: source, draft, output };
    }
    if (verb !== 'limit') throw new Failure('usage', `there is no plan ${shown(verb)}; there are ${VERBS.join(', ')}`);
    if (names.length === 0) throw new Failure('usage', 'no node given; name node/NAME');
    if (memory === undefined) throw new Failure('usage', 'plan limit needs --memory, such as --memory 2Gi');
    const problem = limitProblem({ bytes: memory });
    if (problem !== undefined) throw new Failure('usage', `--memory: ${problem}`);
    return { kind: 'limit' as const, options, cluster, from: source, names, bytes: memory, lockNamespace };
  },
});

export const command: Command = defineCommand(line, plan);

type Request = RequestOf<typeof line>;
type Form<K extends Request['kind']> = Extract<Request, { readonly kind: K }>;

async function plan(request: Request, io: Io, { programName }: Call): Promise<number> {
  switch (request.kind) {
    case 'plan':
      return writePlan(request, io, programName);
    case 'limit':
      return printLimit(request, io);
    case 'abort':
      return abort(request, io);
    case 'approve':
      return approve(request, io);
    case 'abort-node':
      return abortNode(request, io);
  }
}

/** What is asked about a plan that is there. Throws a usage failure if options do not fit together. */
function ofFile(
  verb: 'abort' | 'approve',
  names: readonly string[],
  { file: path, node, command, image, lockNamespace }: ValuesOf<typeof OPTIONS>,
  options: TargetOptions,
) {
  if (verb === 'approve') {
    if (path === undefined || names.length > 0)
      throw new Failure('usage', 'approve takes a plan: plan approve -f plan.yaml');
    return { kind: 'approve' as const, file: path, template: command ?? null, image: image ?? null, options };
  }
  if (names.length > 0) throw new Failure('usage', 'abort takes a plan with -f, or --node NAME');
  if (node !== undefined && path === undefined) {
    if (!isName(node)) throw new Failure('usage', `--node: ${node} is not the name of a node`);
    return { kind: 'abort-node' as const, node, lockNamespace, options };
  }
  if (path === undefined || node !== undefined)
    throw new Failure('usage', 'no plan given: plan abort -f plan.yaml, or --node NAME');
  return { kind: 'abort' as const, file: path, options };
}

type Draft = Omit<DraftRequest, 'findings' | 'oakumVersion'>;

/** Throws a usage failure if options do not fit together. */
function draftOf(action: PlanAction, names: readonly string[], values: ValuesOf<typeof OPTIONS>): Draft {
  const { via, command, image, selector, allLeaking, lockNamespace } = values;
  if (names.length === 0 && selector === undefined && !allLeaking)
    throw new Failure('usage', 'no node given; name node/NAME, or use --selector or --all-leaking');
  if (names.length > 0 && allLeaking) throw new Failure('usage', '--all-leaking and node names exclude each other');
  return {
    action,
    names,
    selector: selector ?? null,
    allLeaking,
    force: values.force ?? null,
    isDirect: values.direct,
    author: null,
    restart: restartChoice({ via, command, image, namespace: lockNamespace }),
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

async function writePlan(request: Form<'plan'>, io: Io, programName: string): Promise<number> {
  const { draft, output, cluster } = request;
  const options = await optionsAt(cluster, request.options);
  const names = draft.allLeaking || draft.selector !== null ? undefined : draft.names;
  const kube = await openKube(options);
  const watched = cluster ?? clusterName(kube.cluster.context);
  const findings = await readFindings({ ...request.from, options, names, cluster: watched }, io);
  const made = await draftPlan(
    {
      cluster: kube.cluster,
      kubelet: async name => {
        if (!options.direct) return kube.target({ kind: 'node', name });
        const found = await kube.findKubelet(name);
        return 'kind' in found ? `no way to its own port at ${found.address}` : found;
      },
      nowSeconds: Date.now() / 1000,
      deadlineSeconds: options.requestTimeoutSeconds,
    },
    { ...draft, findings, oakumVersion: packageVersion() },
    sha256,
  );
  const text = checkedYaml(made, draft.restart.template);
  if (output === undefined) {
    io.stdout.write(text);
    return EXIT.done;
  }
  await writeFileAtomically(output, encodeText(text), io.cwd, OWNER_ONLY);
  io.stdout.write(planText(made, io.stdout.columns ?? 100));
  io.stdout.write(
    `\nWritten to ${output}. Valid until ${made.expiresAt}. Next: ${programName} apply -f ${output}${given(draft.restart)}\n`,
  );
  return EXIT.done;
}

/** Nothing that is run comes from the file: who applies it says it again. */
function given({ template, image }: Draft['restart']): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return `${template === null ? '' : ` --command ${quoted(template)}`}${image === null ? '' : ` --image ${quoted(image)}`}`;
}

/** Nothing is written that apply could not read: names and texts come from outside. */
function checkedYaml(made: Plan, template: string | null): string {
  const text = planYaml(made);
  try {
    readPlan(encodeText(text), 'the plan', sha256, { to: 'act', oakumVersion: packageVersion(), template });
  } catch (error) {
    if (error instanceof Failure)
      throw new Failure('no-evidence', `this would not make a sound plan: ${error.message}`, { cause: error });
    throw error;
  }
  return text;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `oakum plan limit`: prints the systemd drop-in that limits a kubelet. Changes nothing. */
async function printLimit(
  { options: given, cluster, from, names, bytes, lockNamespace }: Form<'limit'>,
  io: Io,
): Promise<number> {
  const options = await optionsAt(cluster, given);
  const kube = await openKube(options);
  const watched = cluster ?? clusterName(kube.cluster.context);
  const findings = await readFindings({ ...from, options, names, cluster: watched }, io);
  const { facts } = await gatherClusterFacts(
    {
      cluster: kube.cluster,
      kubelet: async name => kube.target({ kind: 'node', name }),
      nowSeconds: Date.now() / 1000,
      deadlineSeconds: options.requestTimeoutSeconds,
    },
    {
      names,
      selector: null,
      narrows: false,
      drainFlags: { force: false, deleteEmptyDirData: false },
      drains: false,
      lockNamespace,
    },
  );
  const texts = names.map(name => {
    const node = facts.nodes.find(one => one.name === name);
    if (node === undefined) throw new Failure('not-found', `there is no node ${name}`);
    const kubelet = facts.kubelets.get(name);
    const found = findings.get(name);
    const finding = found === undefined ? undefined : withLimit(found, kubelet, node);
    const level = kubelet?.residentBytes ?? null;
    const slopePerHour = finding?.unit === 'bytes' ? finding.slopePerHour : null;
    const advice = limitAdvice({ node, bytes, level, slopePerHour });
    if (advice === undefined)
      throw new Failure(
        'usage',
        `${name}: ${node.osImage} has no systemd unit to add a drop-in to; limit the kubelet by its own configuration`,
      );
    return limitText(name, advice);
  });
  io.stdout.write(texts.join('\n'));
  return EXIT.done;
}
