/** `oakum cycle`: where in the OOM cycle each node is, and how it got there, from metrics, events and logs. */
import { cycleReport } from '../../judge/cycle/cycle-report.ts';
import { nameInEvidence } from '../../evidence/target.ts';
import type { CycleReport } from '../../evidence/cycle/cycle.ts';
import { renderCycles } from '../../report/cycle-text.ts';
import { visible } from '../../base/visible-text.ts';
import type { ColorChoice } from '../options/shared.ts';
import { type Io, styleFor } from '../terminal/io.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { renderJson } from '../../report/json.ts';
import { readPaths } from '../connect/read-source.ts';

export interface CycleRequest {
  readonly paths: readonly string[];
  readonly output: 'text' | 'json';
  readonly target: readonly string[];
  readonly process: string | undefined;
  /** Seconds east of UTC. */
  readonly zone: number | undefined;
  readonly all: boolean;
  readonly color: ColorChoice;
}

const READS = 'metrics, kernel or systemd logs, or kubectl get events,nodes -A -o json';

export async function cycle(request: CycleRequest, io: Io): Promise<number> {
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

function render(report: CycleReport, request: CycleRequest, io: Io): string {
  if (request.output === 'json') return renderJson(report);
  const width = io.stdout.columns;
  return renderCycles(report, {
    style: styleFor(request.color, io),
    all: request.all,
    ...(width === undefined ? {} : { width }),
  });
}
