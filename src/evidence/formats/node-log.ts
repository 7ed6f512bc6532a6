/**
 * A node's log, of the kernel, systemd and its daemons, in any of the forms that journalctl, dmesg and syslog give it.
 *
 *     for (const { event, stamp, host, line } of readNodeLog(bytes)) ...
 *
 * One pass. Only lines about OOM kills, restarts and stalls become objects. Where the log names the writer of a line, a
 * line counts only if that writer can know: what a pod prints is not the kernel's word.
 */
import { decodeText } from '../../base/text.ts';
import type { LogEvent, OomKill, DeathCause, UnitChange } from '../cycle/cycle.ts';
import { parseKernelLine, OomReports, UNKNOWN_DETAILS } from './kernel-log.ts';
import { parseLogEntry, type LogLine, parseLogLine } from './log-line.ts';
import { type LogStamp, secondsBetween } from './log-stamp.ts';

const OF_UNIT = /^(?:Unit )?([\w@.:\\-]{1,255}\.service):? (.*)/;

const EXITED = /^[Mm]ain process exited, code=(\w+), status=(\d+)(?:\/(?!n\/a)([\w-]+))?/;

const FAILED = /^(?:Failed with result|.*\bResult:?) '([\w-]+)'/;

const RESTART = /^(?:Scheduled restart job|(?:Service )?hold-?off time over|Service RestartSec=\S+ expired)/;

const OOM = /^(?:A process of this unit has been killed by the OOM killer|systemd-oomd killed \d+ process)/;

const JOB = /^(Started|Stopping) (.{1,255}?)\.{0,3}$/;

const OOMD = /^Killed (\/\S+) due to memory (?:pressure|used)/;

/**
 * What a Go daemon and its watchers say about its end, its start and its stalls.
 *
 *     runtime: program exceeds 10000-thread limit / fatal error: thread exhaustion
 *     fatal error: runtime: out of memory
 *     "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m7.5s ago; threshold is 3m0s"
 *     kubelet cooldown period of 2m0s exceeded, repairing              (node-problem-detector's health-checker)
 */
const FATAL = /^(?:fatal error: (.{1,200})|panic: (.{1,200})|runtime: (program exceeds \d+-thread limit))/;

const PLEG = /PLEG is not healthy: pleg was last seen active (\S{1,40}) ago/;

const STARTED = /^(?:"?Kubelet version"? |"?Starting kubelet main sync loop)/;

const UNHEALTHY = /^([\w-]{1,40}) is unhealthy, component uptime: /;

const REPAIRING = /^([\w-]{1,40}) cooldown period of \S+ exceeded, repairing/;

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, µs: 1e-6, us: 1e-6, ns: 1e-9 };

export interface NodeLogRecord {
  readonly stamp: LogStamp;
  /** '' if the log does not say. */
  readonly host: string;
  /** 1-based. */
  readonly line: number;
  readonly event:
    | LogEvent
    | { readonly kind: 'boot'; readonly bootId: string }
    /** What the kernel's clock said; together with a stamp since boot it dates the boot. */
    | { readonly kind: 'clock'; readonly unixSeconds: number };
}

/** Longer lines are cut: no message of interest is that long. */
const MAX_LINE_BYTES = 8192;
const MAX_ENTRY_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** journalctl's line between two boots; the next line has the time. */
const BOOT_MARK = /^-- (?:Boot [0-9a-f]{32}|Reboot) --/;

const INTERESTING =
  /oom[-_]|OOM killer|[Oo]ut of memory|memory: usage|Killed |Kill process|killed as a result of limit|Linux version|system clock|audit\(|[Mm]ain process exited|Failed with result|Result '|Scheduled restart|[Hh]old-?off time|RestartSec|Started |Stopping |fatal error: |panic: |-thread limit|PLEG is not|Kubelet version|main sync loop|is unhealthy|, repairing|"_BOOT_ID"/;

export function* readNodeLog(bytes: Uint8Array): Generator<NodeLogRecord> {
  const hosts = new Map<string, HostLog>();
  let number = 0;
  let booted = false;
  for (let at = 0; at < bytes.length;) {
    number++;
    const newline = bytes.indexOf(NEWLINE, at);
    const next = newline < 0 ? bytes.length : newline + 1;
    const end = Math.min(newline < 0 ? bytes.length : newline, at + MAX_LINE_BYTES);
    const text = decodeText(bytes, at, end);
    if (booted || INTERESTING.test(text)) {
      const isEntry = bytes[at] === 0x7b && next - at <= MAX_ENTRY_BYTES;
      const entry = isEntry ? parseLogEntry(decodeText(bytes, at, next)) : undefined;
      const line = entry ?? parseLogLine(bytes, at, end);
      const { stamp, host: name } = line;
      if (booted && stamp.kind !== 'none') {
        booted = false;
        yield { stamp, host: name, line: number, event: { kind: 'boot', bootId: '' } };
      }
      let host = hosts.get(name);
      if (host === undefined && hosts.size < MAX_HOSTS) hosts.set(name, (host = new HostLog()));
      for (const record of host?.accept(line, number, entry?.bootId ?? '') ?? []) yield record;
    }
    if (BOOT_MARK.test(text)) booted = true;
    at = next;
  }
  for (const [name, host] of hosts) yield* host.end(name);
}

/** A log of more hosts than this is not a log of nodes. */
const MAX_HOSTS = 10_000;

const REPORT_SECONDS = 10;

class HostLog {
  private readonly reports = new OomReports();
  private bootId = '';
  /** The last line of the OOM report that is being read. */
  private last: { stamp: LogStamp; line: number } = { stamp: { kind: 'none' }, line: 0 };

  *accept(line: LogLine, number: number, bootId: string): Generator<NodeLogRecord> {
    const { stamp, host, writer, message } = line;
    const record = (event: NodeLogRecord['event']): NodeLogRecord => ({ stamp, host, line: number, event });
    if (bootId !== '' && bootId !== this.bootId) {
      this.bootId = bootId;
      yield record({ kind: 'boot', bootId });
    }
    if (writer === 'kernel' || writer === '') {
      const kernel = parseKernelLine(message);
      if (kernel?.kind === 'boot') yield record({ kind: 'boot', bootId: '' });
      else if (kernel?.kind === 'clock') yield record(kernel);
      else if (kernel !== undefined) {
        const before = this.last;
        // The kernel writes a report at once, so a later line belongs to another one, even if lines are missing.
        if (secondsBetween(before.stamp, stamp) > REPORT_SECONDS) yield* this.end(host);
        this.last = { stamp, line: number };
        // A kill that ends when a new report begins belongs to the lines before.
        const at = kernel.kind === 'invoked' || kernel.kind === 'chosen' ? before : this.last;
        for (const kill of this.reports.accept(kernel)) yield killRecord(kill, host, at);
        return;
      }
    }
    if (writer === 'systemd' || writer === '') {
      const unit = parseUnitLine(message);
      if (unit !== undefined) return yield record({ kind: 'unit', ...unit });
    }
    if (writer === 'systemd-oomd' || writer === '') {
      const cgroup = parseOomdLine(message);
      if (cgroup !== undefined) return yield record({ kind: 'oom-kill', kill: oomdKill(cgroup) });
    }
    if (writer === 'kernel' || writer === 'systemd') return;
    const event = parseDaemonLine(message, writer);
    if (event !== undefined) yield record(event);
  }

  *end(host: string): Generator<NodeLogRecord> {
    for (const kill of this.reports.end()) yield killRecord(kill, host, this.last);
  }
}

function killRecord(kill: OomKill, host: string, at: { stamp: LogStamp; line: number }): NodeLogRecord {
  return { stamp: at.stamp, host, line: at.line, event: { kind: 'oom-kill', kill } };
}

/** systemd-oomd names a cgroup and no process. */
function oomdKill(cgroup: string): OomKill {
  const unit = cgroup.slice(cgroup.lastIndexOf('/') + 1).replace(/\.(?:service|scope|slice)$/, '');
  return { ...UNKNOWN_DETAILS, process: unit.slice(0, 64), pid: 0, scope: 'oomd', processCgroup: cgroup };
}

/** `writer` is the daemon as the log names it; '' if it does not. */
function parseDaemonLine(message: string, writer: string): LogEvent | undefined {
  const fatal = FATAL.exec(message);
  if (fatal !== null) {
    const text = fatal[1] ?? fatal[2] ?? fatal[3];
    const cause = causeOf(text, fatal[2] !== undefined);
    // Any program panics; without a writer only what a leak leads to says enough.
    if (cause === 'crash' && writer === '') return undefined;
    return { kind: 'go-death', process: writer, cause, message: message.slice(0, 200) };
  }
  const pleg = PLEG.exec(message);
  if (pleg !== null) {
    const ageSeconds = goDurationSeconds(pleg[1]);
    return ageSeconds === undefined ? undefined : { kind: 'pleg-stalled', ageSeconds };
  }
  if (STARTED.test(message)) return { kind: 'process-started', process: writer || 'kubelet' };
  const repairing = REPAIRING.exec(message);
  const watched = repairing ?? UNHEALTHY.exec(message);
  if (watched === null) return undefined;
  return { kind: 'repair', component: watched[1], acts: repairing !== null, message: message.slice(0, 200) };
}

function causeOf(text: string, isPanic: boolean): DeathCause {
  if (isPanic) return 'crash';
  if (/out of memory|cannot allocate memory|cannot allocate heap/.test(text)) return 'go-out-of-memory';
  return /thread exhaustion|-thread limit|newosproc/.test(text) ? 'go-threads' : 'crash';
}

/** `3m7.5s` in seconds. */
export function goDurationSeconds(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us|ns))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us|ns)/g)) {
    seconds += Number(amount) * UNIT_SECONDS[unit];
  }
  return seconds;
}

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
interface UnitLine {
  readonly unit: string;
  readonly change: UnitChange;
}

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

/** The cgroup that systemd-oomd says it killed. */
export function parseOomdLine(message: string): string | undefined {
  return OOMD.exec(message)?.[1];
}
