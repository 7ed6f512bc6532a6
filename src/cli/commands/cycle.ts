/** `oakum cycle`: where in the OOM cycle each node is, and how it got there, from metrics, events and logs. */
import { cycleReport } from '../../judge/cycle/cycle-of.ts';
import { nameInEvidence } from '../../evidence/target.ts';
import type { CycleReport } from '../../evidence/cycle/cycle.ts';
import { renderCycles } from '../../report/cycle-text.ts';
import { visible } from '../../base/visible-text.ts';
import { COLOR, outputFormat } from '../options/shared.ts';
import { type Io, styleFor } from '../io.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { renderJson } from '../../report/json.ts';
import { readPaths } from '../connect/read-source.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { custom, flag, name, texts } from '../options/kinds.ts';
import { someOf } from '../options/option.ts';

const line = commandLine({
  name: 'cycle',
  usage: ['PATH... [options]'],
  examples: [
    ['oakum cycle ./worker-17/', 'a folder, or a .tar.gz, in any order'],
    ['journalctl -o json --since -6h | oakum cycle - events.json'],
    ['oakum cycle dmesg.txt kubelet.log events.json metrics.prom'],
    ['oakum cycle logs/ --process containerd', 'the cycle of another daemon'],
  ],
  about:
    'Reads metrics, kernel and systemd logs (dmesg, journalctl in any form, syslog), kubelet logs, and the events and nodes that kubectl prints with -o json. Says for each node whether its kubelet is healthy, near an OOM kill, killed, in the reconciliation storm after a restart, recovered, or killed again, with a timeline and the source of each line.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'json']),
    target: texts({ placeholder: 'NAME', help: 'only this node' }),
    process: name({ help: 'whose cycle, by the name that the kernel and systemd use', defaultNote: 'kubelet' }),
    zone: custom(
      'OFFSET',
      'an offset such as +02:00',
      zoneSeconds,
    )({
      help: 'time zone of log lines that do not say theirs',
      defaultNote: 'UTC',
    }),
    all: flag({ help: 'timelines of healthy nodes too' }),
    color: COLOR,
  },
  request: (values, operands) => ({ ...values, paths: someOf(operands, 'no files given') }),
});

export const command: Command = defineCommand(line, cycle);

type Request = RequestOf<typeof line>;

const READS = 'metrics, kernel or systemd logs, or kubectl get events,nodes -A -o json';

async function cycle(request: Request, io: Io): Promise<number> {
  const { process, zone } = request;
  const whole = await cycleReport(readPaths(request.paths, io), {
    nowSeconds: Date.now() / 1000,
    ...(process === undefined ? {} : { process }),
    ...(zone === undefined ? {} : { utcOffsetSeconds: zone }),
  });
  for (const { path, message } of whole.inputs.unread)
    io.stderr.write(`oakum: ${visible(path)}: ${visible(message)}\n`);
  if (whole.cycles.length === 0)
    throw new Failure('no-evidence', `nothing here shows an OOM cycle; it is read from ${READS}`);
  const report = ofTargets(whole, request.target);
  if (report.cycles.length === 0) {
    const known = whole.cycles.slice(0, 10).map(({ target }) => visible(target));
    const more = whole.cycles.length > known.length ? ', ...' : '';
    throw new Failure('usage', `no target ${request.target.join(', ')}: the targets are ${known.join(', ')}${more}`);
  }
  io.stdout.write(render(report, request, io));
  return EXIT.done;
}

function ofTargets(report: CycleReport, targets: readonly string[]): CycleReport {
  if (targets.length === 0) return report;
  const wanted = new Set(targets.map(nameInEvidence));
  return { ...report, cycles: report.cycles.filter(({ target }) => wanted.has(target)) };
}

function render(report: CycleReport, request: Request, io: Io): string {
  if (request.output === 'json') return renderJson(report);
  const width = io.stdout.columns;
  return renderCycles(report, {
    style: styleFor(request.color, io),
    all: request.all,
    ...(width === undefined ? {} : { width }),
  });
}

function zoneSeconds(zone: string): number | undefined {
  if (/^(?:UTC|Z)$/i.test(zone)) return 0;
  const [, sign, hours, minutes] = /^([+-])([01]\d):?([0-5]\d)$/.exec(zone) ?? [];
  if (sign === undefined) return undefined;
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return sign === '-' ? -seconds : seconds;
}
