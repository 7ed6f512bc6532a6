/** What acting on a cluster is composed of: the plan with the files beside it, the cluster, and commands. */
import { hostname, userInfo } from 'node:os';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import type { ActPorts } from '../../act/apply/act-context.ts';
import { recordOf, textOf } from '../../base/json.ts';
import { visible } from '../../base/visible-text.ts';
import type { Plan } from '../../act/plan/plan.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { openKube } from './open-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import { endProcessTree, endWithThisProcess } from '../../live/io/kube/process-tree.ts';
import type { CommandEnd, CommandRunner, StartedCommand, PlanLog, VerifySamples } from '../../act/ports.ts';
import { Failure } from '../../base/errors.ts';
import { planLogFile, verifySamplesFile } from '../../act/io/plan-files.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { MAX_PLAN_BYTES, type PlanReading, readPlan } from '../../act/plan/plan-file.ts';

export interface OpenedActing {
  readonly ports: ActPorts;
  readonly actor: string;
  /** As the kubeconfig names it. */
  readonly context: string;
  /** `PLAN@HOST/PID/TICKS`. */
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
}

const MAX_DEADLINE_SECONDS = 30;

export async function openActing(plan: Pick<Plan, 'id'>, options: TargetOptions, io: Io): Promise<OpenedActing> {
  const kube = await openKube(options);
  const deadline = Math.min(options.requestTimeoutSeconds, MAX_DEADLINE_SECONDS);
  const actions = kube.actions(`oakum/${packageVersion()} (plan ${plan.id})`, deadline);
  const kubelet = async (node: string): Promise<TargetConnection> => {
    if (!options.direct) return kube.target({ kind: 'node', name: node });
    const found = await kube.findKubelet(node);
    if ('kind' in found) throw new Failure('no-answer', `node/${node} has no address that can be read`);
    return found;
  };
  const reviewed = await actions.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  const info = reviewed.kind === 'done' ? recordOf(recordOf(reviewed.value['status'])['userInfo']) : {};
  return {
    ports: {
      actions,
      clock: SYSTEM_CLOCK,
      commands: commandRunner({ cwd: io.cwd, env: io.env }),
      kubelet,
      say: line => io.stderr.write(`${new Date().toISOString().slice(11, 19)} ${visible(line)}\n`),
    },
    context: kube.cluster.context,
    actor: textOf(info['username']) || `${userInfo().username} (of this machine)`,
    holder: `${plan.id}@${hostname()}/${process.pid}/${startTicksOf(process.pid) ?? 0}`,
    hasEnded: holder => hasEnded(holder, plan.id),
  };
}

/** True only if it is certain: a run of this plan, on this machine, whose process is gone. */
function hasEnded(holder: string, planId: string): boolean {
  const [, host, pid, ticks] = /@(.*)\/(\d+)\/(\d+)$/.exec(holder) ?? [];
  if (!holder.startsWith(`${planId}@`) || host !== hostname() || ticks === undefined || ticks === '0') return false;
  return startTicksOf(Number(pid)) !== Number(ticks);
}

interface CommandPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const TAIL_CHARS = 4000;
/** After a kill, or when a child of the command keeps its pipes open. */
const CLOSE_MS = 2000;

/** Runs the command of a restart without a shell, and ends it with everything it started. */
export function commandRunner({ cwd, env }: CommandPlace): CommandRunner {
  return {
    run: async (argv, { deadlineSeconds, signal, onStarted }) => {
      const [name = '', ...args] = argv;
      if (signal.aborted) return { how: 'stopped', exitCode: null, output: '' };
      const child = spawn(name, args, {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
        windowsHide: true,
      });
      let output = '';
      const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-TAIL_CHARS));
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      const release = endWithThisProcess(child);
      const { pid } = child;
      const noted = pid === undefined ? undefined : onStarted?.({ pid, startTicks: startTicksOf(pid) });
      const end = await new Promise<Omit<CommandEnd, 'output'>>(resolve => {
        let ending: CommandEnd['how'] | undefined;
        const finish = (how: CommandEnd['how'], exitCode: number | null): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onStop);
          resolve({ how: ending ?? how, exitCode });
        };
        const kill = (how: CommandEnd['how']): void => {
          ending ??= how;
          endProcessTree(child);
          setTimeout(() => finish(how, null), CLOSE_MS).unref();
        };
        const onStop = (): void => kill('stopped');
        const timer = setTimeout(() => kill('deadline'), deadlineSeconds * 1000);
        signal.addEventListener('abort', onStop, { once: true });
        child.on('error', error => {
          keep(Buffer.from(error.message));
          finish('not-started', null);
        });
        child.on('exit', (code, by) => {
          const done = (): void => finish(by === null ? 'exited' : 'killed', code);
          child.on('close', done);
          setTimeout(done, CLOSE_MS).unref();
        });
      });
      release();
      child.stdout.destroy();
      child.stderr.destroy();
      await noted;
      return { ...end, output };
    },
    endOrphan: orphan => Promise.resolve(endOrphan(orphan)),
  };
}

/** Its group: with what it started. */
function endOrphan({ pid, startTicks }: StartedCommand): boolean {
  // Without a start time, another process may have the pid by now.
  if (startTicks === null || startTicksOf(pid) !== startTicks) return false;
  try {
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Null where there is no /proc, or no such process. */
export function startTicksOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : Number(fields[19]);
  } catch {
    return null;
  }
}

/** `plan.yaml`, `plan.log.jsonl` and `plan.samples.jsonl`. */
export interface PlanFiles {
  readonly plan: Plan;
  readonly log: PlanLog;
  readonly samples: VerifySamples;
}

/** Throws a Failure if the plan cannot be read or was changed. */
export async function openPlanFiles(path: string, cwd: string, reading: PlanReading): Promise<PlanFiles> {
  const bytes = await readBoundedFile(resolve(cwd, path), MAX_PLAN_BYTES, path);
  const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
  const plan = readPlan(bytes, path, sha256, reading);
  const beside = (ending: string): string => `${path.replace(/\.(?:ya?ml|json)$/, '')}.${ending}`;
  const log = beside('log.jsonl');
  const samples = beside('samples.jsonl');
  return {
    plan,
    log: planLogFile(resolve(cwd, log), log),
    samples: verifySamplesFile(resolve(cwd, samples), samples),
  };
}
