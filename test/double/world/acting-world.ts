/**
 * A world whose kubelets can be restarted: each has a start time in its metrics, which a command or a pod moves.
 *
 *     const acting = actingWorld(['worker-1']);
 *     const result = await acting.apply(acting.plan());
 *     acting.restarts; // worker-1
 */
import { recordOf, textOf } from '../../../src/base/json.ts';
import { encodeText } from '../../../src/base/text.ts';
import { abortPlan, type AbortResult, applyPlan, type ApplyResult } from '../../../src/act/apply/apply-plan.ts';
import type { PlanRecord } from '../../../src/store/plan-log.ts';
import type { NodeVerification, VerifyOutcome } from '../../../src/act/plan-verification.ts';
import type { Plan } from '../../../src/act/plan/plan.ts';
import type { ActPorts } from '../../../src/act/apply/act-context.ts';
import type { CommandEnd, CommandRunner, PlanLog } from '../../../src/act/ports.ts';
import type { TargetConnection } from '../../../src/live/ports.ts';
import { inTime } from './in-time.ts';
import { smallWorld, type SmallWorld } from './small-world.ts';

/** Thrown by a log that is killed: nothing after it runs, as after kill -9. */
export class Killed extends Error {}

export interface ActingWorld extends SmallWorld {
  readonly log: MemoryLog;
  readonly said: string[];
  /** Nodes in the order in which their kubelets were restarted. */
  readonly restarts: string[];
  restart(node: string): void;
  readonly kubelet: (node: string) => Promise<TargetConnection>;
  /** What the command that restarts does; undefined restarts it and ends well. */
  onCommand: ((argv: readonly string[]) => Promise<CommandEnd | undefined>) | undefined;
  /** What an apply of its own is composed of. */
  readonly ports: ActPorts;
  apply(plan: Plan, options?: ApplyOptions): Promise<ApplyResult>;
  abort(plan: Plan): Promise<AbortResult>;
}

export interface ApplyOptions {
  readonly signal?: AbortSignal;
  readonly outcome?: VerifyOutcome;
}

export class MemoryLog implements PlanLog {
  readonly place: string = 'plan.log.jsonl';
  readonly lines: string[] = [];
  /** Dies before this record is written. */
  killAt: number = Infinity;

  read(): Promise<readonly PlanRecord[]> {
    return Promise.resolve(this.lines.map(line => JSON.parse(line) as PlanRecord));
  }

  append(record: PlanRecord): Promise<void> {
    if (this.lines.length >= this.killAt) return Promise.reject(new Killed());
    this.lines.push(JSON.stringify(record));
    return Promise.resolve();
  }

  kinds(): string[] {
    return this.lines.map(line => (JSON.parse(line) as PlanRecord).kind);
  }
}

export const START_SECONDS = 1_794_000_000.25;

export function actingWorld(nodes: readonly string[]): ActingWorld {
  const small = smallWorld([]);
  const { world, clock, actions } = small;
  const starts = new Map<string, number>();
  for (const node of nodes) {
    world.addNode(node);
    world.change('nodes', node, { metadata: { uid: `uid-of-${node}` } });
    starts.set(node, START_SECONDS);
  }
  world.add('namespaces', { metadata: { name: 'kube-system', uid: 'c' } });
  const log = new MemoryLog();
  const said: string[] = [];
  const restarts: string[] = [];
  const restart = (node: string): void => {
    restarts.push(node);
    starts.set(node, clock.now());
    const at = new Date(clock.now() * 1000).toISOString();
    world.change('nodes', node, {
      status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: at }] },
    });
  };
  const kubelet = (node: string): TargetConnection => kubeletOf(node, () => starts.get(node) ?? 0, clock);
  const acting: ActingWorld = {
    ...small,
    log,
    said,
    restarts,
    restart,
    onCommand: undefined,
    kubelet: async node => kubelet(node),
    get ports() {
      return ports().run;
    },
    apply: async (plan, options = {}) => {
      const { run, end } = ports();
      const applying = applyPlan(
        {
          ...request(plan, options.signal),
          oakumVersion: '0',
          verify: async ({ node }) => verified(node, options.outcome),
          observe: async () => {},
        },
        run,
      );
      return inTime(clock, applying.finally(end));
    },
    abort: plan => inTime(clock, abortPlan(request(plan), ports().run)),
  };
  const commands: CommandRunner = {
    run: async (argv, { onStarted }) => {
      await onStarted?.({ pid: 4711, startTicks: 1 });
      const end = await acting.onCommand?.(argv);
      if (end !== undefined) return end;
      restart(argv[1]);
      return { how: 'exited', exitCode: 0, output: '' };
    },
    endOrphan: () => Promise.resolve(false),
  };
  // Each run is a process of its own: after its end nothing of it goes on.
  const ports = () => {
    const run = {
      actions,
      clock,
      commands,
      kubelet: async (node: string) => kubelet(node),
      say: (line: string) => void said.push(line),
    };
    return { run, end: () => {} };
  };
  let runs = 0;
  const request = (plan: Plan, signal: AbortSignal = new AbortController().signal) => ({
    ...{ plan, image: null, log },
    actor: 'tester',
    holder: `${plan.id}@test/${++runs}`,
    hasEnded: (holder: string) => holder.startsWith(`${plan.id}@test/`),
    signal,
  });
  return acting;
}

function verified(node: string, outcome: VerifyOutcome = 'too early'): NodeVerification {
  return { node, outcome, sentence: outcome, checks: [], slopes: null, knownAt: null, nextLimitAt: null };
}

/** Marks of ours on a node. */
export function marksOn({ world }: SmallWorld, node: string): string[] {
  const found = world.find('nodes', node);
  const annotations = recordOf(recordOf(found?.['metadata'])['annotations']);
  const cordoned = recordOf(found?.['spec'])['unschedulable'] === true ? ['cordoned'] : [];
  return [...Object.keys(annotations).filter(key => textOf(key).startsWith('oakum.dev/')), ...cordoned].sort();
}

function kubeletOf(node: string, startSeconds: () => number, clock: SmallWorld['clock']): TargetConnection {
  return {
    target: `node/${node}`,
    via: 'api-server-proxy',
    address: 'https://world',
    get: () =>
      Promise.resolve({
        kind: 'answer',
        status: 200,
        headers: {},
        body: encodeText(
          `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${startSeconds()}\nprocess_resident_memory_bytes 1.2e9\n`,
        ),
        cut: undefined,
        headAtSeconds: clock.now(),
        dateSeconds: clock.now(),
        tookSeconds: 0,
      }),
  };
}
