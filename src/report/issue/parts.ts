/** Sections that several reports share. Names from outside are escaped or put into code spans. */
import type { AnalysisInput, Finding } from '../../judge/analysis.ts';
import type { Match } from '../../knowledge/known-leak-match.ts';
import type { IssueFacts, IssueTarget, Life, Measured } from './issue-facts.ts';
import { resourceOf } from '../../evidence/resource.ts';
import {
  agesPhrase,
  comparedPhrase,
  growthPhrase,
  isMemory,
  matchPhrases,
  placePhrases,
  stackText,
  timesOf,
  waitPhrase,
} from '../phrases.ts';
import { amountIn, formatAge, signed, timeText } from '../../base/say.ts';
import { code, codeCell, fenced, prose } from '../markdown.ts';

const MAX_FINDINGS = 8;
const MAX_STACKS = 3;
const MAX_FRAMES = 60;

/** The findings that a report is about: leaks, or else suspicions. */
export function reported({ analysis }: IssueFacts): readonly Finding[] {
  const leaks = analysis.findings.filter(({ verdict }) => verdict === 'leak');
  return (leaks.length > 0 ? leaks : analysis.findings).slice(0, MAX_FINDINGS);
}

/** `` `kubelet` v1.36.0 (go1.26.7, build id ...) on `worker-17` `` */
export function targetPhrase(target: IssueTarget): string {
  const build = [target.goVersion ?? '', target.buildId === undefined ? '' : `build id ${target.buildId}`];
  const built = build.filter(text => text !== '').join(', ');
  const what = `${target.component === undefined ? 'a Go process' : code(target.component)}${target.version === undefined ? '' : ` ${prose(target.version)}`}`;
  return `${what}${built === '' ? '' : ` (${prose(built)})`}: ${code(target.name)}`;
}

export function growthTable(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const rows = findings.map(finding => {
    const { family, growth } = finding;
    const memory = isMemory(finding);
    const value = amountIn(memory ? 'bytes' : 'count');
    const now = finding.bytes ?? finding.count;
    const cells = [
      codeCell(family.title) + lifeOf(finding),
      resourceOf(finding.resource),
      value(growth?.from ?? now),
      value(growth?.to ?? now),
      growth === null ? '' : signed(value(growth.delta)),
      growth?.perHour == null ? '' : `${value(growth.perHour)}`,
      growth?.perOperation == null ? '' : value(growth.perOperation),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| family of stacks | resource | first | last | change | per hour | per operation |',
    '|---|---|---:|---:|---:|---:|---:|',
    ...rows,
    '',
  ];
}

/** The number of the life, if the process was restarted. */
function lifeOf({ reasons: [first = ''] }: Finding): string {
  return /^life \d+ of \d+$/.test(first) ? `, ${first}` : '';
}

/** Why each finding is one, one line each. */
export function whyLines({ analysis, ...facts }: IssueFacts): string[] {
  return [
    ...analysis.reasons.map(reason => `- ${prose(reason)}`),
    ...reported({ analysis, ...facts }).map(
      finding => `- ${code(finding.family.title)}${whereOf(finding)}: ${prose(finding.reasons.join('; '))}`,
    ),
  ];
}

/** ` at `leak/main.go:21`, created by `main.start` ...`, or ''. */
function whereOf(finding: Finding): string {
  const places = placePhrases(finding);
  return places.length === 0 ? '' : ` (${places.map(code).join('; ')})`;
}

export function stacks(findings: readonly Finding[]): string[] {
  const byId = new Map(findings.map(finding => [finding.family.id, finding]));
  const shown = [...byId.values()].filter(({ family }) => family.frames.length > 0).slice(0, MAX_STACKS);
  return shown.flatMap(finding => {
    const wait = waitPhrase(finding);
    const about = [...(wait === undefined ? [] : [wait]), ...(finding.ages === null ? [] : [agesPhrase(finding.ages)])];
    return [
      `${finding.resource === 'heap' ? 'Allocated by' : 'One of them'}${about.length === 0 ? '' : ` (${prose(about.join('; '))})`}:`,
      '',
      ...fenced(stackText(finding, MAX_FRAMES)),
      '',
    ];
  });
}

/** What the catalogue says about the findings, one line each. */
export function knownLines(facts: IssueFacts): string[] {
  const matches = new Map<string, { readonly match: Match; readonly frames: readonly string[] }>();
  for (const { matches: found, family } of reported(facts)) {
    for (const match of found) if (!matches.has(match.id)) matches.set(match.id, { match, frames: family.frames });
  }
  if (matches.size === 0)
    return [`No match among the ${facts.catalogueEntries} known leaks of oakum ${prose(facts.oakumVersion)}.`];
  return [...matches.values()].flatMap(({ match, frames }) => [
    `- ${prose(matchPhrases(match, frames).join('; '))}`,
    ...match.why.map(why => `  - ${prose(why)}`),
  ]);
}

/** A table for each life of each target: what was measured at its beginning and at its end. */
export function measuredTables(facts: IssueFacts): string[] {
  return facts.targets.flatMap(target =>
    target.lives.flatMap((life, i) => {
      if (life.measured.length === 0) return [];
      const number = target.lives.length === 1 ? '' : `, life ${i + 1} of ${target.lives.length}`;
      const span = spanOf(life.measured);
      return [
        `${code(target.name)}${number}${span === '' ? '' : `, over ${span}`}:`,
        '',
        '| measured | first | last | change |',
        '|---|---:|---:|---:|',
        ...life.measured.map(measuredRow),
        '',
      ];
    }),
  );
}

function measuredRow({ what, unit, from, to }: Measured): string {
  const value = amountIn(unit);
  return `| ${what} | ${value(from)} | ${value(to)} | ${from === to ? '0' : signed(value(to - from))} |`;
}

function spanOf(measured: readonly Measured[]): string {
  const spans = measured.flatMap(({ fromSeconds, toSeconds }) =>
    fromSeconds === undefined || toSeconds === undefined ? [] : [toSeconds - fromSeconds],
  );
  const longest = Math.max(0, ...spans);
  return longest === 0 ? '' : formatAge(longest);
}

/** `started 2026-11-15T19:45:22Z, seen for 33m, restarted once` */
export function livesPhrase(target: IssueTarget): string {
  const [first] = target.lives;
  const last = target.lives.at(-1);
  const parts: string[] = [];
  if (first?.startedAtSeconds !== undefined) parts.push(`started ${timeText(first.startedAtSeconds)}`);
  const uptime = uptimeSeconds(last);
  if (uptime !== undefined) parts.push(`up ${formatAge(uptime)} at the last snapshot`);
  const restarts = target.lives.length - 1;
  if (restarts > 0) parts.push(restarts === 1 ? 'restarted once in between' : `restarted ${restarts} times in between`);
  return parts.join(', ');
}

function uptimeSeconds(life: Life | undefined): number | undefined {
  if (life?.startedAtSeconds === undefined || life.toSeconds === undefined) return undefined;
  return life.toSeconds - life.startedAtSeconds;
}

/** How many profiles of each kind there are, and the time they span. */
export function evidenceLines({ analysis }: IssueFacts): string[] {
  const kinds = new Map<string, AnalysisInput[]>();
  for (const input of analysis.inputs) {
    if (input.error !== null || input.kind === 'unknown' || input.kind === 'events') continue;
    kinds.set(input.kind, [...(kinds.get(input.kind) ?? []), input]);
  }
  return [...kinds].map(([kind, inputs]) => {
    const times = inputs
      .filter(({ truncated }) => truncated === null)
      .flatMap(timesOf)
      .sort();
    const [from, to] = [times[0], times.at(-1)];
    const span = from === undefined ? '' : from === to ? `, ${from}` : `, ${from} to ${to}`;
    return `- ${kind}: ${inputs.length}${span}`;
  });
}

export interface Unknown {
  readonly what: string;
  readonly why: string;
  /** '' if only a person knows. */
  readonly command: string;
}

export function unknownLines(unknowns: readonly Unknown[]): string[] {
  return unknowns.map(({ what, why, command }) => {
    const reason = why === '' ? '' : `: ${prose(why)}`;
    return `- [ ] ${prose(what)}${reason}${command === '' ? '' : ` — ${code(command)}`}`;
  });
}

export function growthLines(findings: readonly Finding[]): string[] {
  return findings.flatMap(finding =>
    finding.growth === null
      ? []
      : [
          `- ${code(finding.family.title)}: ${prose([growthPhrase(finding.growth, isMemory(finding)), ...comparedPhrase(finding.growth)].join('; '))}`,
        ],
  );
}

export function signature({ oakumVersion, redacted }: IssueFacts): string {
  const names = redacted ? ' Names of nodes, pods and users are hashed: equal ones are equal.' : '';
  return `Written by oakum ${prose(oakumVersion)} from the evidence alone.${names}`;
}

export function document(lines: readonly string[]): string {
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}
