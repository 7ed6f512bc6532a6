/**
 * A node's log, of the kernel, systemd and its daemons, in any of the forms that journalctl, dmesg and syslog give it.
 *
 *     for (const { event, stamp, host, line } of readNodeLog(bytes)) ...
 *
 * One pass. Only lines about OOM kills, restarts and stalls become objects. Where the log names the writer of a line, a
 * line counts only if that writer can know: what a pod prints is not the kernel's word.
 */
import { decodeText } from '../../../base/text.ts';
import type { LogEvent, OomKill } from '../../cycle/cycle.ts';
import { parseKernelLine } from './kernel-line.ts';
import { OomReports, UNKNOWN_DETAILS } from './oom-report.ts';
import { parseOomdLine, parseUnitLine } from './unit-line.ts';
import { parseDaemonLine } from './daemon-line.ts';
import { parseLogEntry } from './log-entry.ts';
import { type LogLine, parseLogLine } from './log-line.ts';
import { type LogStamp, secondsBetween } from './stamp.ts';

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
