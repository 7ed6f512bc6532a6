/** What acting on a cluster is composed of. */
import { hostname, userInfo } from 'node:os';
import { SYSTEM_CLOCK } from '../../live/io/system-clock.ts';
import type { ActPorts } from '../../act/apply/act-context.ts';
import { recordOf, textOf } from '../../base/json.ts';
import { visible } from '../../base/visible-text.ts';
import { Failure } from '../../base/failure.ts';
import type { Plan } from '../../act/plan/plan.ts';
import type { TargetConnection } from '../../live/target-connection.ts';
import { openKube } from '../connect/open-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-files.ts';
import { commandRunner, startTicksOf } from './command-runner.ts';

export interface OpenedActing {
  readonly ports: ActPorts;
  readonly actor: string;
  /** `PLAN@HOST/PID/TICKS`. */
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
}

const MAX_DEADLINE_SECONDS = 30;

export async function openActing(plan: Plan, options: TargetOptions, io: Io): Promise<OpenedActing> {
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
