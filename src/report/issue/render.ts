/** The document for each audience. */
import type { ReportAudience, IssueFacts, IssueTarget } from './issue-facts.ts';
import { renderUpstream } from './upstream.ts';
import {
  document,
  evidenceLines,
  growthLines,
  knownLines,
  livesPhrase,
  measuredTables,
  reported,
  signature,
  targetPhrase,
  unknownLines,
  whyLines,
} from './parts.ts';
import type { Finding } from '../../judge/analysis.ts';
import { actions, warnings } from '../phrases.ts';
import { timeText } from '../../base/say.ts';
import { code, prose } from '../markdown.ts';

const ALWAYS_AVOID: readonly string[] = [
  'Do not restart every node at once: the last evidence is lost, and all nodes reconnect together',
  'Do not take goroutine dumps with debug=2 from a process with more than 10,000 goroutines: it stops until the dump is written',
];

export function renderIssue(facts: IssueFacts, audience: ReportAudience): string {
  switch (audience) {
    case 'upstream':
      return renderUpstream(facts);
    case 'provider':
      return renderProvider(facts);
    case 'incident':
      return renderIncident(facts);
  }
}

/** A ticket to the provider of the control plane: what is proven, and exactly what only the provider can take or do. */
function renderProvider(facts: IssueFacts): string {
  const { analysis, targets } = facts;
  const asks = [...evidenceAsks(facts), ...fixAsks(facts)];
  return document([
    `**Subject**: ${prose(analysis.sentence)}`,
    '',
    '### What we see',
    '',
    ...targets.map(
      target => `- ${targetPhrase(target)}${livesPhrase(target) === '' ? '' : `; ${prose(livesPhrase(target))}`}`,
    ),
    ...growthLines(reported(facts)),
    ...analysis.reasons.map(reason => `- ${prose(reason)}`),
    '',
    ...measuredTables(facts),
    '### What we think it is',
    '',
    ...knownLines(facts),
    '',
    '### What we ask of you',
    '',
    ...asks.map((ask, i) => `${i + 1}. ${ask}`),
    '',
    '### What we took ourselves',
    '',
    ...(evidenceLines(facts).length === 0 ? ['Nothing: these endpoints are closed to us.'] : evidenceLines(facts)),
    '',
    'We can send these files as a redacted archive.',
    '',
    '---',
    signature(facts),
  ]);
}

/** Only what is missing: profiles need a permission that customers seldom have. */
function evidenceAsks({ analysis, targets }: IssueFacts): string[] {
  return targets.flatMap(target => {
    const own = (kind: string): number =>
      analysis.inputs.filter(input => input.kind === kind && input.target === target.name && input.error === null)
        .length;
    const asks: string[] = [];
    const profiles = (kind: string, path: string, why: string): void => {
      const missing = 2 - own(kind);
      if (missing <= 0) return;
      const number = missing === 2 ? 'Two' : 'One more';
      const distance =
        missing === 2
          ? ', 20 minutes or more apart and without a restart in between'
          : ', 20 minutes or more after ours and without a restart in between';
      asks.push(
        `${number} ${kind} profile${missing === 2 ? 's' : ''} of ${nameOf(target)}${distance}: ${code(`GET ${path}`)}. ${why}`,
      );
    };
    profiles('heap', '/debug/pprof/heap', 'It names the code that holds the memory, and contains no data from memory.');
    profiles(
      'goroutine',
      '/debug/pprof/goroutine',
      'It counts goroutines by stack; it stops the process for milliseconds.',
    );
    if (own('metrics') === 0)
      asks.push(
        `${code('go_goroutines')}, ${code('go_gc_heap_live_bytes')} and ${code('process_resident_memory_bytes')} of ${nameOf(target)} over the last days, with one restart in them.`,
      );
    if (target.version === undefined) asks.push(`The exact version and build of ${nameOf(target)}.`);
    return asks;
  });
}

function fixAsks(facts: IssueFacts): string[] {
  const open = reported(facts)
    .flatMap(({ matches }) => matches)
    .filter(({ affected }) => affected === 'affected' || affected === 'unknown');
  const asks = [...new Map(open.map(match => [match.id, match])).values()].map(match => {
    const fixed =
      match.fixedIn.length === 0
        ? 'no release has a fix yet: which workaround do you apply?'
        : `fixed in ${prose(match.fixedIn.join(', '))}: when do you offer it, and can it be rolled out to us earlier?`;
    const effects = match.sideEffects.map(effect => ` Mind: ${prose(effect)}.`).join('');
    return `${code(match.ref)} is ${fixed}${effects}`;
  });
  if (asks.length > 0) return asks;
  return ['Whether other customers on this version see the same, and which version does not.'];
}

function nameOf({ component, name }: IssueTarget): string {
  return `${component ?? 'the process'} ${code(name)}`;
}

/** A note for the team on duty: what happens, since when, its impact, what to do and what not to do. */
function renderIncident(facts: IssueFacts): string {
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
