/**
 * OOM cycles as text, worst first, each with its sentence, reasons, timeline and advice. A healthy target has one line.
 */
import { displayWidth } from '../base/text-layout.ts';
import type { CycleEvent, CycleReport, CycleStage, OomCycle } from '../evidence/cycle/cycle.ts';
import type { Verdict } from '../judge/verdict.ts';
import { MIN_WIDTH, named, PLAIN, type Style } from './layout.ts';
import { DEFAULT_WIDTH } from './print-text.ts';
import { visible } from '../base/visible-text.ts';
import { timeText } from '../base/say.ts';

export interface CycleTextOptions {
  readonly style?: Style;
  readonly width?: number;
  /** Whether to show the timeline of every target. */
  readonly all?: boolean;
}

const COLOURS: Readonly<Record<CycleStage, Verdict>> = {
  're-oom': 'leak',
  killed: 'leak',
  storm: 'watch',
  'pre-oom': 'watch',
  recovered: 'healthy',
  healthy: 'healthy',
  unknown: 'unknown',
};

/** The width of the longest stage plus two spaces. */
const STAGE_WIDTH = 11;
const CLOCK_WIDTH = 20;

export function renderCycles(report: CycleReport, options: CycleTextOptions = {}): string {
  const style = options.style ?? PLAIN;
  const width = Math.max(MIN_WIDTH, options.width ?? DEFAULT_WIDTH);
  const { cycles, notes, inputs } = report;
  const isShort = ({ stage }: OomCycle): boolean =>
    options.all !== true && cycles.length > 1 && (stage === 'healthy' || stage === 'unknown');
  const sections = cycles.filter(cycle => !isShort(cycle)).map(cycle => block(cycle, style, width));
  const short = cycles.filter(isShort).flatMap(cycle => head(cycle, style, width));
  if (short.length > 0) sections.push(short);
  const files = `${inputs.used} of ${inputs.used + inputs.unused + inputs.unread.length} files hold evidence`;
  sections.push(
    [files, ...notes].flatMap((text, i) =>
      named(i === 0 ? 'INPUTS' : '', [visible(text)], { indent: 0, nameWidth: 8, width }),
    ),
  );
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

function head({ stage, target, sentence }: OomCycle, style: Style, width: number): string[] {
  const tag = stage.toUpperCase();
  const at = { indent: 0, nameWidth: STAGE_WIDTH, width };
  const lines = named(tag, [`${visible(target)}: ${visible(sentence)}`], at);
  return lines.map((line, i) =>
    i === 0 ? style.verdict(COLOURS[stage], tag) + style.strong(line.slice(tag.length)) : style.strong(line),
  );
}

function block(cycle: OomCycle, style: Style, width: number): string[] {
  const at = { indent: 0, nameWidth: STAGE_WIDTH, width };
  const lines = head(cycle, style, width);
  lines.push(...cycle.reasons.flatMap(reason => named('', [`- ${visible(reason)}`], at)));
  if (cycle.timeline.length > 0) lines.push('', `  ${style.strong('TIMELINE')}`, ...timeline(cycle.timeline, width));
  if (cycle.advice.length > 0) {
    lines.push('', `  ${style.strong('NEXT')}`);
    lines.push(
      ...cycle.advice.flatMap(advice => named('', [`- ${visible(advice)}`], { indent: 2, nameWidth: 0, width })),
    );
  }
  return lines;
}

function timeline(events: readonly CycleEvent[], width: number): string[] {
  const rows = events.map(({ atSeconds, untilSeconds, stage, text, evidence }) => {
    const until =
      untilSeconds !== null && untilSeconds > (atSeconds ?? Infinity) ? `, until ${clock(untilSeconds)}` : '';
    const from = evidence.length === 0 ? '' : ` [${evidence.join(', ')}]`;
    const name = `${clock(atSeconds).padEnd(CLOCK_WIDTH)}  ${(stage ?? '').padEnd(STAGE_WIDTH - 2)}  `;
    return { name, text: visible(text + until + from) };
  });
  const nameWidth = Math.max(...rows.map(({ name }) => displayWidth(name)));
  return rows.flatMap(({ name, text }) => named(name, [text], { indent: 2, nameWidth, width }));
}

function clock(seconds: number | null): string {
  return seconds === null ? 'time unknown' : timeText(seconds);
}
