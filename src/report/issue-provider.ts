/** A ticket to the provider of the control plane: what is proven, and exactly what only the provider can take or do. */
import type { IssueFacts, IssueTarget } from './issue/issue-facts.ts';
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
} from './issue-parts.ts';
import { code, prose } from './markdown-escape.ts';

export function renderProvider(facts: IssueFacts): string {
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
      const apart =
        missing === 2
          ? ', 20 minutes or more apart and without a restart in between'
          : ', 20 minutes or more after ours and without a restart in between';
      asks.push(
        `${number} ${kind} profile${missing === 2 ? 's' : ''} of ${nameOf(target)}${apart}: ${code(`GET ${path}`)}. ${why}`,
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
