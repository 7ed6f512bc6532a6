/** Restarts a kubelet in the way of the plan, and waits until the restart is seen. */
import { formatAge } from '../../base/say.ts';
import type { PlanStep, PodCall } from '../plan/plan-step.ts';
import { type ActContext, type StepEnd, stop, stopFor, sendLogged } from './act-context.ts';
import { recordOf, listOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ActionRequest, ClusterActions, Outcome, PodIdentity, TargetConnection } from '../../live/ports.ts';
import { podFacts } from '../plan/read-node.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';

const DELETE_TRIES = 5;

const DELETE_PAUSE_SECONDS = 3;

/** A command that failed may have restarted it all the same: an SSH session ends with the network. */
const AFTER_FAILURE_SECONDS = 15;

interface Restarting {
  readonly context: ActContext;
  readonly step: PlanStep;
  readonly node: string;
  readonly startBefore: number;
  readonly beganSeconds: number;
  readonly untilSeconds: number;
  readonly read: () => Promise<number | string>;
}

export async function runRestart(context: ActContext, step: PlanStep, startBefore: number): Promise<StepEnd> {
  const node = step.node ?? '';
  const connection = await context.kubelet(node);
  const beganSeconds = context.clock.now();
  const untilSeconds = beganSeconds + step.timeoutSeconds;
  const work = {
    context,
    step,
    node,
    startBefore,
    beganSeconds,
    untilSeconds,
    read: () => readProcessStart(connection),
  };
  switch (step.call.kind) {
    case 'command':
      return byCommand(work, step.call.argv);
    case 'pod':
      return byPod(work, step.call);
    case 'print':
      for (const command of step.call.commands) context.say(`run on ${node}: ${command}`);
      context.say(`waiting until the kubelet of ${node} was restarted, for up to ${formatAge(step.timeoutSeconds)}`);
      // Nobody's plan is to wait for a person. The next step that needs the lock takes it again.
      await context.lock?.release();
      context.lock = undefined;
      await context.journal.write({
        kind: 'command',
        step: step.id,
        argv: step.call.commands,
        exitCode: null,
        output: 'printed',
      });
      return endOf(work, await wait(work));
    default:
      return stop('failure', `${step.id} has a call that restarts nothing: ${step.call.kind}`);
  }
}

async function byCommand(work: Restarting, argv: readonly string[]): Promise<StepEnd> {
  const { context, step, node } = work;
  const { journal, commands, clock, signal } = context;
  const end = await commands.run(argv, {
    deadlineSeconds: step.timeoutSeconds,
    signal,
    onStarted: async ({ pid, startTicks }) =>
      journal.write({ kind: 'command-began', step: step.id, argv, pid, startTicks }),
  });
  const { how, exitCode, output } = end;
  await journal.write({ kind: 'command', step: step.id, argv, exitCode, output });
  if (how === 'stopped') return stop('interrupted', `the command for ${node} was ended`);
  if (how === 'exited' && exitCode === 0) return endOf(work, await wait(work));
  const why = {
    exited: `exit code ${exitCode}`,
    killed: 'killed by a signal',
    'not-started': 'could not be started',
    deadline: `not done after ${formatAge(step.timeoutSeconds)}, and killed with what it started`,
  }[how];
  const said = output.trim().split('\n').at(-1) ?? '';
  const detail = `${argv.join(' ')}: ${why}${said === '' ? '' : `: ${said}`}`;
  const seen = how === 'not-started' ? undefined : await wait(work, clock.now() + AFTER_FAILURE_SECONDS);
  if (seen?.kind === 'restarted') return endOf(work, seen, ` although the command failed (${why})`);
  // Stopped before it was known: a resumed run looks again.
  return seen?.kind === 'stopped' ? endOf(work, seen) : stop('failure', detail);
}

async function byPod(work: Restarting, call: PodCall): Promise<StepEnd> {
  const { context, step } = work;
  const { actions, clock, journal } = context;
  const made = await makeRestartPod(call, request => sendLogged(context, step.id, request), actions);
  if (made.kind === 'failed') return stopFor(made.outcome, made.what);
  const { pod } = made;
  try {
    const seen = await wait(work, work.untilSeconds, async () => {
      const found = await actions.pod(pod.namespace, pod.name);
      const why = found.kind === 'done' ? whyPodFails(found.value) : undefined;
      return why === undefined ? undefined : `the pod ${pod.namespace}/${pod.name} failed: ${why}`;
    });
    return endOf(work, seen);
  } finally {
    const left = await removeRestartPod(actions, clock, pod);
    const detail =
      left === undefined
        ? 'removed'
        : `still there: ${left}; remove it: kubectl delete pod -n ${pod.namespace} ${pod.name}`;
    await journal.write({ kind: 'pod', step: step.id, ...pod, outcome: left === undefined ? 'gone' : 'left', detail });
    if (left !== undefined) context.say(`the pod ${pod.namespace}/${pod.name} is ${detail}`);
  }
}

/** A pod of ours that an earlier run left. */
export async function removeLeftPod(context: ActContext, step: PlanStep): Promise<string | undefined> {
  if (step.call.kind !== 'pod') return undefined;
  const { namespace, name } = identityOf(recordOf(step.call.manifest));
  const found = await context.actions.pod(namespace, name);
  if (found.kind !== 'done') return undefined;
  const pod = podFacts(found.value);
  const left = await removeRestartPod(context.actions, context.clock, pod);
  return left === undefined
    ? `the pod ${namespace}/${name} removed`
    : `the pod ${namespace}/${name} is still there: ${left}`;
}

function wait(
  { context, read, startBefore, untilSeconds }: Restarting,
  until: number = untilSeconds,
  giveUp?: () => Promise<string | undefined>,
): Promise<Seen> {
  const { clock, signal } = context;
  const more = giveUp === undefined ? {} : { giveUp };
  return waitForRestart({ clock, read, startBefore, untilSeconds: until, signal, ...more });
}

function endOf({ node, context, beganSeconds }: Restarting, seen: Seen, note = ''): StepEnd {
  switch (seen.kind) {
    case 'restarted': {
      const at = new Date(seen.startSeconds * 1000).toISOString();
      return { kind: 'done', detail: `the kubelet of ${node} started again at ${at}${note}` };
    }
    case 'not-seen':
      return stop(
        'failure',
        `no restart of the kubelet of ${node} was seen in ${formatAge(context.clock.now() - beganSeconds)}: ${seen.why}`,
      );
    case 'stopped':
      return stop('interrupted', `stopped while the kubelet of ${node} was restarted`);
  }
}

/**
 * The pod that restarts a kubelet: created once under its name, watched until the restart is seen, and removed whatever
 * happens. Its kubelet is the one that is restarted, so its own exit code says little.
 */
type PodMade =
  | { readonly kind: 'made'; readonly pod: PodIdentity; readonly existed: boolean }
  | { readonly kind: 'failed'; readonly outcome: Exclude<Outcome, { kind: 'done' }>; readonly what: string };

type Send = (request: ActionRequest) => Promise<Outcome>;

/** `send` also writes the log. */
async function makeRestartPod(call: PodCall, send: Send, actions: ClusterActions): Promise<PodMade> {
  const manifest = recordOf(call.manifest);
  const { namespace, name } = identityOf(manifest);
  const found = await send({ method: 'GET', path: `/api/v1/namespaces/${namespace}` });
  if (found.kind === 'refused' && found.status === 404) {
    const made = await send({ method: 'POST', path: '/api/v1/namespaces', body: call.namespace });
    const isThere = made.kind === 'refused' && made.status === 409;
    if (made.kind !== 'done' && !isThere)
      return { kind: 'failed', outcome: made, what: `the namespace ${namespace} could not be made` };
  }
  const created = await send({ method: 'POST', path: call.path, body: call.manifest });
  if (created.kind === 'done') return { kind: 'made', pod: { ...podFacts(created.value) }, existed: false };
  // An earlier run made it, or this request arrived although its answer did not.
  const mayExist = created.kind === 'lost' ? created.mayHaveHappened : created.reason === 'AlreadyExists';
  const existing = mayExist ? await actions.pod(namespace, name) : undefined;
  if (existing?.kind === 'done') return { kind: 'made', pod: { ...podFacts(existing.value) }, existed: true };
  return { kind: 'failed', outcome: created, what: `the pod ${namespace}/${name} could not be made` };
}

function identityOf(manifest: JsonRecord): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = podFacts(manifest);
  return { namespace, name };
}

/** Why the pod will never do its work; undefined while it may. */
function whyPodFails(pod: JsonRecord): string | undefined {
  const status = recordOf(pod['status']);
  const [container] = listOf(status['containerStatuses']).map(recordOf);
  const state = recordOf(container?.['state']);
  const ended = recordOf(state['terminated']);
  if (Number(ended['exitCode'] ?? 0) !== 0)
    return `its command ended with exit code ${Number(ended['exitCode'])}: ${textOf(ended['message']) || textOf(ended['reason'])}`;
  const waiting = textOf(recordOf(state['waiting'])['reason']);
  if (/^(?:ErrImageNeverPull|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainerError)$/.test(waiting))
    return `its image cannot be used (${waiting})`;
  if (status['phase'] === 'Failed') return textOf(status['message']) || textOf(status['reason']) || 'it failed';
  return undefined;
}

/** False, with a reason, if it is still there. */
async function removeRestartPod(
  actions: ClusterActions,
  clock: WatchClock,
  pod: PodIdentity,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const deleted = await actions.deletePod(pod);
    if (deleted.kind === 'done') return undefined;
    // It is gone, or another has its name.
    if (deleted.kind === 'refused' && (deleted.status === 404 || deleted.status === 409)) return undefined;
    if (attempt >= DELETE_TRIES || deleted.kind === 'refused') return deleted.message;
    await clock.sleep(DELETE_PAUSE_SECONDS, new AbortController().signal);
  }
}

/** When the kubelet's process started, by its own metrics: a restart is what moves it. */

const LIMITS = { deadlineSeconds: 10, maxBytes: 64 * 1024 * 1024 };
const PAUSE_SECONDS = 2;
/** Start times are read with fractions of a second, but some exporters round. */
const SLACK_SECONDS = 1.5;

/** A sentence if it cannot be read. */
export async function readProcessStart(connection: TargetConnection): Promise<number | string> {
  const reply = await connection.get('/metrics', LIMITS);
  const where = `the metrics of ${connection.target}`;
  if (reply.kind !== 'answer') return `${where} cannot be read: ${reply.message}`;
  if (reply.status !== 200) return `${where} cannot be read: status ${reply.status}`;
  const { startTimeSeconds } = factsOfMetrics(reply.body);
  return startTimeSeconds ?? `${where} have no process_start_time_seconds`;
}

type Seen =
  | { readonly kind: 'restarted'; readonly startSeconds: number }
  | { readonly kind: 'not-seen'; readonly why: string }
  | { readonly kind: 'stopped' };

interface WaitOptions {
  readonly clock: WatchClock;
  readonly read: () => Promise<number | string>;
  readonly startBefore: number;
  readonly untilSeconds: number;
  readonly signal: AbortSignal;
  /** Ends the wait early with a reason. */
  readonly giveUp?: () => Promise<string | undefined>;
}

/** Waits until the start time has moved. */
export async function waitForRestart(options: WaitOptions): Promise<Seen> {
  const { clock, read, startBefore, untilSeconds, signal, giveUp } = options;
  for (;;) {
    if (signal.aborted) return { kind: 'stopped' };
    const start = await read();
    if (typeof start === 'number' && hasMoved(startBefore, start)) return { kind: 'restarted', startSeconds: start };
    const why = await giveUp?.();
    if (why !== undefined) return { kind: 'not-seen', why };
    if (clock.now() >= untilSeconds)
      return { kind: 'not-seen', why: typeof start === 'string' ? start : 'the process is still the same' };
    await clock.sleep(PAUSE_SECONDS, signal);
  }
}

export function hasMoved(before: number, now: number): boolean {
  return now > before + SLACK_SECONDS;
}
