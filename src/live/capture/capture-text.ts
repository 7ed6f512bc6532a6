/** A capture as text: the plan with its cost, and the result. */
import { table, oneLine } from '../../base/text-layout.ts';
import type { CaptureManifest } from '../../evidence/capture.ts';
import { formatAge, formatBytes, formatCount, formatSeconds } from '../../base/say.ts';
import { visible } from '../../base/visible-text.ts';
import type { CaptureEvent, CapturePart } from './run-capture.ts';

export interface PlannedStep {
  readonly kind: string;
  readonly set: number;
  readonly request: string;
  readonly cost: string;
}

export interface PlanText {
  readonly target: string;
  /** `through the API server https://10.0.0.1:6443` */
  readonly way: string;
  readonly folder: string;
  readonly gapSeconds: number;
  readonly requestTimeoutSeconds: number;
  readonly maxBytes: number;
  readonly steps: readonly PlannedStep[];
}

export function renderPlan(plan: PlanText): string {
  const rows = plan.steps.filter(({ set }) => set === 1).map(({ kind, request, cost }) => [kind, request, cost]);
  const again = plan.steps.filter(({ set }) => set === 2).map(({ kind }) => kind);
  const lines = [
    `Plan for ${visible(plan.target)}, ${visible(plan.way)}, into ${visible(plan.folder)}: read-only, one request at a time,`,
    `at most ${formatAge(plan.requestTimeoutSeconds)} and ${formatBytes(plan.maxBytes)} each.`,
    ...table(['TAKES', 'ASKS FOR', 'COSTS THE TARGET'], rows).map(line => `  ${line}`),
  ];
  if (again.length > 0) lines.push(`  and again after ${formatAge(plan.gapSeconds)}: ${again.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

/** What was taken, one row per file. */
export function renderCapture(manifest: CaptureManifest, folder: string): string {
  const stored = manifest.entries.filter(entry => entry.file !== undefined);
  const bytes = stored.reduce((sum, entry) => sum + entry.bytes, 0);
  const version = [manifest.version, manifest.goVersion].filter(part => part !== undefined).join(', ');
  const rows = stored.map(entry => [
    entry.file ?? '',
    String(entry.set),
    formatBytes(entry.bytes),
    `${entry.tookSeconds.toFixed(1)}s`,
    entry.truncated === undefined ? 'whole' : 'cut',
  ]);
  const lines = [
    `${visible(manifest.target)}${version === '' ? '' : ` (${visible(version)})`}: ${formatCount(stored.length)} ${stored.length === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}, in ${visible(folder)}`,
    ...table(['FILE', 'SET', 'SIZE', 'TOOK', 'BODY'], rows),
    ...manifest.notes.map(note => `note: ${visible(note)}`),
  ];
  if (manifest.endedAtSeconds === undefined)
    lines.push('next: the same command with the same -o takes what is missing');
  if (stored.length > 0) lines.push(`next: oakum analyze ${visible(folder)}`);
  return `${lines.join('\n')}\n`;
}

/** The progress of a capture, one line per event. */
export function progressLine(event: CaptureEvent): string {
  switch (event.kind) {
    case 'resumed':
      return `resuming: ${event.fileCount} files are already there\n`;
    case 'taking':
    case 'tick':
      return '';
    case 'taken': {
      const { bytes, tookSeconds, truncated } = event.entry;
      const cut = truncated === undefined ? '' : ` (incomplete: ${oneLine(truncated)})`;
      return `${label(event.entry)} ${formatBytes(bytes)} in ${formatSeconds(tookSeconds.toFixed(1))}${cut}\n`;
    }
    case 'failed':
      return `${label(event.step)} FAILED: ${event.why.sentence}\n${' '.repeat(22)}next: ${event.why.nextStep}\n`;
    case 'left-out':
      return `${label(event.step)} left out: ${event.why}\n`;
    case 'waiting':
      return `waiting ${formatAge(event.seconds)} for the next set; Ctrl-C keeps what is saved\n`;
  }
}

/** `next set in 4m58s; Ctrl-C keeps what is saved`, to be written over itself. */
export function countdownText(seconds: number): string {
  return `next set in ${formatAge(Math.ceil(seconds))}; Ctrl-C keeps what is saved`;
}

function label({ set, kind }: CapturePart): string {
  return `set ${set}  ${kind.padEnd(14)}`;
}
