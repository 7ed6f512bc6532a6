/**
 * The lines that the kernel writes about one kill, joined: who asked for memory, whose limit it was, who died.
 *
 *     const reports = new OomReports();
 *     for (const line of lines) kills.push(...reports.accept(line));
 *     kills.push(...reports.end());
 *
 * Lines may be missing: a ring buffer forgets, a journal is cut, and the kernel limits its own rate.
 */
import type { OomKill } from '../cycle/cycle.ts';
import { isLimit } from '../resource.ts';

/**
 * One message of the kernel's ring buffer, without timestamp, if it is about OOM kills, boots or clocks.
 *
 *     kubelet invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-999            every version
 *     memory: usage 2097152kB, limit 2097152kB, failcnt 911                                          memcg only
 *     oom-kill:constraint=CONSTRAINT_MEMCG,...,oom_memcg=/a,task_memcg=/a/b,task=kubelet,pid=9,uid=0  from 5.0
 *     Memory cgroup out of memory: Killed process 9 (kubelet) total-vm:1kB, anon-rss:1kB, ...         from 5.0
 *     Task in /a/b killed as a result of limit of /a                                                 to 4.20
 *     Memory cgroup out of memory: Kill process 9 (kubelet) score 1 or sacrifice child               to 4.20
 *     Killed process 9 (kubelet) total-vm:1kB, anon-rss:1kB, file-rss:1kB                            to 4.20
 *     oom_reaper: reaped process 9 (kubelet), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB          from 4.6
 *
 * Without `Memory cgroup` it is the whole node's memory: then `global_oom` stands in place of `oom_memcg=`.
 */
type Scope = OomKill['scope'];

export type KernelLine =
  | { readonly kind: 'invoked'; readonly by: string }
  | { readonly kind: 'usage'; readonly limitBytes: number }
  | { readonly kind: 'cgroups'; readonly processCgroup: string; readonly limitCgroup: string }
  | {
      readonly kind: 'chosen';
      readonly process: string;
      readonly pid: number;
      readonly scope: Scope;
      readonly processCgroup: string;
      readonly limitCgroup: string;
    }
  | {
      readonly kind: 'killed';
      readonly process: string;
      readonly pid: number;
      /** Old kernels name it on the line before. */
      readonly scope: Scope;
      readonly residentBytes: number | undefined;
      readonly oomScoreAdj: number | undefined;
    }
  | { readonly kind: 'reaped'; readonly process: string; readonly pid: number }
  | { readonly kind: 'boot' }
  | { readonly kind: 'clock'; readonly unixSeconds: number };

const INVOKED = /^(.{1,64}) invoked oom-killer: /;
const USAGE = /^memory: usage \d+kB, limit (\d+)kB/;
const TASK_IN = /^Task in (\/\S*) killed as a result of limit of (\/\S*)$/;
const CHOSEN = /^(Memory cgroup out of memory|Out of memory)(?: \([^)]*\))?: Kill process (\d+) \((.*)\) score /;
const KILLED =
  /^(?:(Memory cgroup out of memory|Out of memory)(?: \([^)]*\))?: )?Killed process (\d+) \((.*?)\)(?=[ ,]|$)(.*)/;
const REAPED = /^oom_reaper: reaped process (\d+) \((.*)\)/;
const CLOCK = /(?:setting system clock to .*\((\d{9,11})\)|^audit: type=2000 audit\((\d{9,11})\.\d+:)/;

export function parseKernelLine(message: string): KernelLine | undefined {
  if (message.startsWith('Linux version ')) return { kind: 'boot' };
  const clock = CLOCK.exec(message);
  if (clock !== null) return { kind: 'clock', unixSeconds: Number(clock[1] ?? clock[2]) };
  const invoked = INVOKED.exec(message);
  if (invoked !== null) return { kind: 'invoked', by: invoked[1] };
  const usage = USAGE.exec(message);
  if (usage !== null) {
    const limitBytes = Number(usage[1]) * 1024;
    return isLimit(limitBytes) ? { kind: 'usage', limitBytes } : undefined;
  }
  const taskIn = TASK_IN.exec(message);
  if (taskIn !== null) return { kind: 'cgroups', processCgroup: taskIn[1], limitCgroup: taskIn[2] };
  return parseVictim(message);
}

function parseVictim(message: string): KernelLine | undefined {
  if (message.startsWith('oom-kill:constraint=')) return parseConstraint(message);
  const chosen = CHOSEN.exec(message);
  if (chosen !== null) {
    const [, how, pid, process] = chosen;
    return { kind: 'chosen', process, pid: Number(pid), scope: scopeOf(how), processCgroup: '', limitCgroup: '' };
  }
  const killed = KILLED.exec(message);
  if (killed !== null) {
    const [, how, pid, process, rest] = killed;
    return { kind: 'killed', process, pid: Number(pid), scope: scopeOf(how), ...sizesIn(rest) };
  }
  const reaped = REAPED.exec(message);
  return reaped === null ? undefined : { kind: 'reaped', process: reaped[2], pid: Number(reaped[1]) };
}

/** By position instead of by pattern: the names of cgroups and processes may hold commas. */
function parseConstraint(message: string): KernelLine | undefined {
  const limitAt = message.indexOf(',oom_memcg=');
  const cgroupAt = message.indexOf(',task_memcg=', limitAt + 1);
  const uidAt = message.lastIndexOf(',uid=');
  const pidAt = message.lastIndexOf(',pid=', uidAt);
  const taskAt = message.lastIndexOf(',task=', pidAt);
  const pid = /^,pid=(\d+)$/.exec(message.slice(pidAt, uidAt))?.[1];
  if (pid === undefined || cgroupAt < 0 || taskAt < cgroupAt) return undefined;
  return {
    kind: 'chosen',
    process: message.slice(taskAt + ',task='.length, pidAt),
    pid: Number(pid),
    scope: message.startsWith('oom-kill:constraint=CONSTRAINT_MEMCG,') ? 'memcg' : 'global',
    processCgroup: message.slice(cgroupAt + ',task_memcg='.length, taskAt),
    limitCgroup: limitAt < 0 ? '' : message.slice(limitAt + ',oom_memcg='.length, cgroupAt),
  };
}

function scopeOf(how: string | undefined): Scope {
  if (how === undefined) return 'unknown';
  return how.startsWith('Memory cgroup') ? 'memcg' : 'global';
}

function sizesIn(text: string): { residentBytes: number | undefined; oomScoreAdj: number | undefined } {
  let residentBytes: number | undefined;
  for (const [, kilobytes] of text.matchAll(/\b(?:anon|file|shmem)-rss:(\d+)kB/g)) {
    residentBytes = (residentBytes ?? 0) + Number(kilobytes) * 1024;
  }
  const adj = /\boom_score_adj:(-?\d+)/.exec(text);
  return { residentBytes, oomScoreAdj: adj === null ? undefined : Number(adj[1]) };
}

/** A kill of which only the process and the scope are known. */
export const UNKNOWN_DETAILS: Omit<OomKill, 'process' | 'pid' | 'scope'> = {
  limitCgroup: '',
  processCgroup: '',
  limitBytes: undefined,
  residentBytes: undefined,
  oomScoreAdj: undefined,
  invokedBy: '',
};

type Victim = Extract<KernelLine, { kind: 'chosen' }>;

export class OomReports {
  private invokedBy = '';
  private limitBytes: number | undefined;
  private processCgroup = '';
  private limitCgroup = '';
  private victim: Victim | undefined;
  /** Whether the kill of the last named victim was returned. */
  private isReported = true;
  private lastPid = -1;

  /** The kills that are complete with this line. */
  accept(line: KernelLine): OomKill[] {
    switch (line.kind) {
      case 'invoked': {
        const before = this.end();
        this.invokedBy = line.by;
        return before;
      }
      case 'usage':
        this.limitBytes = line.limitBytes;
        return [];
      case 'cgroups':
        this.processCgroup = line.processCgroup;
        this.limitCgroup = line.limitCgroup;
        return [];
      case 'chosen': {
        const before = this.unreported();
        this.victim = line;
        this.isReported = false;
        return before;
      }
      case 'killed': {
        this.isReported = true;
        this.lastPid = line.pid;
        return [this.killOf(line.process, line.pid, line.scope, line.residentBytes, line.oomScoreAdj)];
      }
      case 'reaped':
        // What is left of a report whose first lines are gone.
        if (line.pid === this.lastPid || (this.victim?.pid === line.pid && !this.isReported)) return [];
        this.lastPid = line.pid;
        return [this.killOf(line.process, line.pid, 'unknown', undefined, undefined)];
      default:
        return [];
    }
  }

  /** No more lines of this report. */
  end(): OomKill[] {
    const rest = this.unreported();
    this.invokedBy = '';
    this.limitBytes = undefined;
    this.processCgroup = '';
    this.limitCgroup = '';
    this.victim = undefined;
    return rest;
  }

  private unreported(): OomKill[] {
    const { victim } = this;
    if (victim === undefined || this.isReported) return [];
    this.isReported = true;
    this.lastPid = victim.pid;
    return [this.killOf(victim.process, victim.pid, victim.scope, undefined, undefined)];
  }

  private killOf(
    process: string,
    pid: number,
    scope: OomKill['scope'],
    residentBytes: number | undefined,
    oomScoreAdj: number | undefined,
  ): OomKill {
    const { victim, invokedBy } = this;
    // With memory.oom.group, or where a child was sacrificed, others die than the one that was named.
    const own = victim?.pid === pid ? victim : undefined;
    const limitCgroup = victim?.limitCgroup || this.limitCgroup;
    const known = scope === 'unknown' ? (victim?.scope ?? scope) : scope;
    return {
      process,
      pid,
      scope: known === 'unknown' && limitCgroup !== '' ? 'memcg' : known,
      limitCgroup,
      processCgroup: own?.processCgroup || this.processCgroup,
      limitBytes: this.limitBytes,
      residentBytes,
      oomScoreAdj,
      invokedBy,
    };
  }
}
