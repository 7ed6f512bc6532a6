/** `oakum cycle`: where in the OOM cycle each node is, and how it came there, from metrics, events and logs. */
import { oneLine } from '../../base/text-layout.ts';
import { cycleReport } from '../../diagnosis/cycle/cycle-report.ts';
import type { CycleReport } from '../../model/cycle.ts';
import { nameInEvidence } from '../../model/target.ts';
import { renderCycles } from '../../report/cycle-text.ts';
import { unicodeEscaped, visible } from '../../base/visible-text.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { readPaths } from '../connect/read-paths.ts';
import { styleFor } from '../terminal/style.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum cycle PATH... [options]

  oakum cycle ./worker-17/                                  a folder, or a .tar.gz, in any order
  journalctl -o json --since -6h | oakum cycle - events.json
  oakum cycle dmesg.txt kubelet.log events.json metrics.prom
  oakum cycle logs/ --process containerd                    the cycle of another daemon

Reads metrics, kernel and systemd logs (dmesg, journalctl in any form, syslog), logs of the kubelet, and the events and
nodes that kubectl prints with -o json. Says of each node whether its kubelet is healthy, near an OOM kill, killed, in
the reconciliation storm after a restart, recovered, or killed again, with a timeline and where each line is from.

  -o, --output FORMAT    text or json
      --target NAME      only this node (may be repeated)
      --process NAME     whose cycle, as the kernel and systemd name it (kubelet)
      --zone OFFSET      time zone of log lines that tell none, e.g. +02:00 (UTC)
      --all              timelines of healthy nodes, too
      --color WHEN       auto, always or never
`;

interface Request {
  readonly paths: readonly string[];
  readonly format: 'text' | 'json';
  readonly targets: readonly string[];
  readonly process: string | undefined;
  readonly utcOffsetSeconds: number | undefined;
  readonly all: boolean;
  readonly color: string;
}

const OPTIONS = {
  output: { type: 'string', short: 'o', default: 'text' },
  target: { type: 'string', multiple: true },
  process: { type: 'string' },
  zone: { type: 'string' },
  all: { type: 'boolean', default: false },
  color: { type: 'string', default: 'auto' },
} as const;

export async function runCycle(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'cycle', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => cycle(request, io), programName);
}

async function cycle(request: Request, io: Io): Promise<number> {
  try {
    const { process, utcOffsetSeconds } = request;
    const whole = await cycleReport(readPaths(request.paths, io), {
      nowSeconds: Date.now() / 1000,
      ...(process === undefined ? {} : { process }),
      ...(utcOffsetSeconds === undefined ? {} : { utcOffsetSeconds }),
    });
    for (const { path, message } of whole.inputs.unread)
      io.stderr.write(`oakum: ${visible(path)}: ${visible(message)}\n`);
    if (whole.cycles.length === 0) {
      const needs = 'metrics, kernel or systemd logs, or kubectl get events,nodes -A -o json';
      return fail(io, EXIT.couldNotObserve, `nothing here tells of an OOM cycle; it is read from ${needs}`);
    }
    const report = ofTargets(whole, request.targets);
    if (report.cycles.length === 0) {
      const known = whole.cycles.slice(0, 10).map(({ target }) => visible(target));
      const more = whole.cycles.length > known.length ? ', ...' : '';
      return fail(
        io,
        EXIT.usage,
        `no target ${oneLine(request.targets.join(', '))}: there are ${known.join(', ')}${more}`,
      );
    }
    io.stdout.write(render(report, request, io));
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  }
}

function ofTargets(report: CycleReport, targets: readonly string[]): CycleReport {
  if (targets.length === 0) return report;
  const wanted = new Set(targets.map(nameInEvidence));
  return { ...report, cycles: report.cycles.filter(({ target }) => wanted.has(target)) };
}

function render(report: CycleReport, request: Request, io: Io): string {
  if (request.format === 'json') return `${unicodeEscaped(JSON.stringify(report, null, 2))}\n`;
  const width = io.stdout.columns;
  return renderCycles(report, {
    style: styleFor(request.color, io),
    all: request.all,
    ...(width === undefined ? {} : { width }),
  });
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length === 0) return 'no files given';
  const { output, process, zone, all, color } = values;
  if (output !== 'text' && output !== 'json') return `unknown format ${output}: text or json`;
  if (!['auto', 'always', 'never'].includes(color)) return '--color takes auto, always or never';
  if (process === '') return '--process needs a name, such as containerd';
  const utcOffsetSeconds = zone === undefined ? undefined : zoneSeconds(zone);
  if (zone !== undefined && utcOffsetSeconds === undefined) return `--zone ${zone} is not an offset such as +02:00`;
  return { paths: positionals, format: output, targets: values.target ?? [], process, utcOffsetSeconds, all, color };
}

function zoneSeconds(zone: string): number | undefined {
  if (/^(?:UTC|Z)$/i.test(zone)) return 0;
  const parts = /^([+-])([01]\d):?([0-5]\d)$/.exec(zone);
  if (parts === null) return undefined;
  const seconds = (Number(parts[2]) * 60 + Number(parts[3])) * 60;
  return parts[1] === '-' ? -seconds : seconds;
}
