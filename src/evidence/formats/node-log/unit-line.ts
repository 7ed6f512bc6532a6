/**
 * What systemd writes about a unit, in the words of its versions:
 *
 *     kubelet.service: Main process exited, code=killed, status=9/KILL
 *     kubelet.service: Failed with result 'oom-kill'.                              from 236; 'signal', 'exit-code'
 *     kubelet.service: A process of this unit has been killed by the OOM killer.   from 243
 *     kubelet.service: systemd-oomd killed 12 process(es) in this unit.            from 248
 *     kubelet.service: Scheduled restart job, restart counter is at 3.             before: (Service) hold-off time over
 *     Started kubelet.service - kubelet: The Kubernetes Node Agent.                before 252: only the description
 *
 * Where only a description is there, it stands for the unit.
 */
import type { UnitChange } from '../../cycle/cycle.ts';

export interface UnitLine {
  readonly unit: string;
  readonly change: UnitChange;
}

const OF_UNIT = /^(?:Unit )?([\w@.:\\-]{1,255}\.service):? (.*)/;
const EXITED = /^[Mm]ain process exited, code=(\w+), status=(\d+)(?:\/(?!n\/a)([\w-]+))?/;
const FAILED = /^(?:Failed with result|.*\bResult:?) '([\w-]+)'/;
const RESTART = /^(?:Scheduled restart job|(?:Service )?hold-?off time over|Service RestartSec=\S+ expired)/;
const OOM = /^(?:A process of this unit has been killed by the OOM killer|systemd-oomd killed \d+ process)/;
const JOB = /^(Started|Stopping) (.{1,255}?)\.{0,3}$/;

export function parseUnitLine(message: string): UnitLine | undefined {
  const job = JOB.exec(message);
  if (job !== null) {
    const unit = /^([\w@.:\\-]+\.service)(?: - |$)/.exec(job[2])?.[1] ?? job[2];
    return { unit, change: { kind: job[1] === 'Started' ? 'started' : 'stopping' } };
  }
  const ofUnit = OF_UNIT.exec(message);
  if (ofUnit === null) return undefined;
  const [, unit, text] = ofUnit;
  const change = parseChange(text);
  return change === undefined ? undefined : { unit, change };
}

function parseChange(text: string): UnitChange | undefined {
  const exited = EXITED.exec(text);
  if (exited !== null) {
    const [, code, status, name = ''] = exited;
    return { kind: 'exited', code, status: Number(status), name };
  }
  const failed = FAILED.exec(text);
  if (failed !== null) return { kind: 'failed', result: failed[1] };
  if (OOM.test(text)) return { kind: 'oom' };
  if (!RESTART.test(text)) return undefined;
  const counter = /restart counter is at (\d+)/.exec(text)?.[1];
  return { kind: 'restart-scheduled', counter: counter === undefined ? undefined : Number(counter) };
}

const OOMD = /^Killed (\/\S+) due to memory (?:pressure|used)/;

/** The cgroup that systemd-oomd says it killed. */
export function parseOomdLine(message: string): string | undefined {
  return OOMD.exec(message)?.[1];
}
