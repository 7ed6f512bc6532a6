/**
 * The lines that the kernel writes about one kill, joined: who asked for memory, whose limit it was, who died.
 *
 *     const reports = new OomReports();
 *     for (const line of lines) kills.push(...reports.accept(line));
 *     kills.push(...reports.end());
 *
 * Lines may be missing: a ring buffer forgets, a journal is cut, and the kernel limits its own rate.
 */
import type { OomKill } from '../../cycle/cycle.ts';
import type { KernelLine } from './kernel-line.ts';

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
