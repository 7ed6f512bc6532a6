/** A note for the team on duty: what happens, since when, its impact, what to do and what not to do. */
import { timeText } from '../base/time-text.ts';
import type { Finding } from '../judge/analysis.ts';
import type { IssueFacts, IssueTarget } from './issue/issue-facts.ts';
import {
  document,
  evidenceLines,
  growthLines,
  knownLines,
  measuredTables,
  reported,
  signature,
  targetPhrase,
  unknownLines,
  whyLines,
} from './issue-parts.ts';
import { code, prose } from './markdown-escape.ts';
import { actions, warnings } from './phrases.ts';

export function renderIncident(facts: IssueFacts): string {
  const { analysis, targets } = facts;
  const findings = reported(facts);
  const doNow = distinct(findings.flatMap(actions));
  const avoid = distinct([...findings.flatMap(warnings), ...ALWAYS_AVOID]);
  return document([
    `# ${analysis.verdict.toUpperCase()}: ${prose(analysis.sentence)}`,
    '',
    ...targets.map(target => `- ${targetPhrase(target)}`),
    '',
    '## Timeline (UTC)',
    '',
    ...timeline(facts),
    '',
    '## Verdict',
    '',
    ...whyLines(facts),
    '',
    ...knownLines(facts),
    '',
    '## Impact',
    '',
    ...impact(findings),
    '',
    ...measuredTables(facts),
    '## What to do now',
    '',
    ...(doNow.length === 0
      ? ['- Nothing is proven: keep sampling, and take the next snapshot in a few minutes.']
      : doNow.map(bullet)),
    '- Save the evidence before any restart: it is lost when the process ends.',
    '',
    '## What not to do',
    '',
    ...avoid.map(bullet),
    '',
    '## Evidence',
    '',
    ...evidenceLines(facts),
    ...captureLines(facts),
    '',
    ...(analysis.missing.length === 0 ? [] : ['Not measured:', '', ...unknownLines(analysis.missing), '']),
    '---',
    signature(facts),
  ]);
}

const ALWAYS_AVOID: readonly string[] = [
  'Do not restart every node at once: the last evidence is lost, and all nodes reconnect together',
  'Do not take goroutine dumps with debug=2 from a process with more than 10,000 goroutines: it stops until the dump is written',
];

function timeline({ targets, analysis }: IssueFacts): string[] {
  const events: (readonly [seconds: number, text: string])[] = [];
  for (const target of targets) {
    target.lives.forEach((life, i) => {
      const again = i === 0 ? 'started' : 'restarted';
      if (life.startedAtSeconds !== undefined) events.push([life.startedAtSeconds, `${code(target.name)} ${again}`]);
      if (life.fromSeconds !== undefined) events.push([life.fromSeconds, `first evidence of ${lifeName(target, i)}`]);
      if (life.toSeconds !== undefined && life.toSeconds !== life.fromSeconds)
        events.push([life.toSeconds, `last evidence of ${lifeName(target, i)}`]);
    });
  }
  if (events.length === 0) return ['The files do not say when they were taken.'];
  const rows = [...events].sort((a, b) => a[0] - b[0]).map(([seconds, text]) => `- ${timeText(seconds)} ${text}`);
  return [...rows, `- verdict: ${analysis.verdict}`];
}

function lifeName({ name, lives }: IssueTarget, i: number): string {
  return lives.length === 1 ? code(name) : `${code(name)}, life ${i + 1} of ${lives.length}`;
}

function impact(findings: readonly Finding[]): string[] {
  const lines = growthLines(findings);
  if (lines.length === 0) return ['No growth was measured.'];
  return [...lines, '- Time to the limit: unknown without the memory limit of the process and its node.'];
}

function captureLines({ captures }: IssueFacts): string[] {
  return captures.flatMap(({ target, startedAtSeconds, entries }) => {
    const failed = entries.filter(({ error }) => error != null);
    return [
      `- captured from ${code(target)} at ${timeText(startedAtSeconds)}: ${entries.length - failed.length} files`,
      ...failed.map(({ kind, error }) => `  - ${prose(kind)} was not taken: ${prose(error ?? '')}`),
    ];
  });
}

function bullet(text: string): string {
  return `- ${prose(text)}`;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
