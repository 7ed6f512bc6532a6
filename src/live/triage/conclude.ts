/** One verdict from what the capture proves, what the history proves and what one scrape shows. */
import type { Analysis, ResourceLedger } from '../../judge/analysis.ts';
import type { DetectedTarget } from '../../judge/detect/recorded-detection.ts';
import type { TriageHistory, TriageScrape } from './triage.ts';
import { type Verdict, mayLeak, worst, worstKnown } from '../../judge/verdict.ts';
import { slugOf } from '../../evidence/resource.ts';
import { assert } from '../../base/errors.ts';
import { weighTogether } from '../../judge/ledger/metric-evidence.ts';

export interface Conclusion {
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** For each resource, the evidence of capture and history together. */
  readonly ledgers: readonly ResourceLedger[];
}

export interface Known {
  /** `node/worker-17` */
  readonly target: string;
  readonly scrape: TriageScrape | undefined;
  readonly history: TriageHistory | undefined;
  readonly analysis: Analysis | undefined;
}

export function conclude({ target, scrape, history, analysis }: Known): Conclusion {
  const detected = history?.detected ?? undefined;
  const reasons = [...(analysis?.reasons ?? []), ...(detected === undefined ? [] : historyReasons(detected))];
  const ledgers = weighTogether(target, analysis?.ledgers ?? [], detected?.resources ?? []);
  const proved = analysis?.verdict ?? 'unknown';
  const rising = ledgers.map(ledger => ledger.verdict).filter(mayLeak);
  // Nothing rises: healthy only where the capture or the history claims it.
  const verdict = rising.length > 0 ? worst(rising) : worstKnown([proved, detected?.verdict ?? 'unknown']);
  const decided = { verdict, reasons, ledgers };
  // The capture names the code, so its sentence stands unless the history, or both together, prove more.
  if (detected !== undefined && verdict !== proved)
    return { ...decided, sentence: historySentence(target, verdict, detected, analysis) };
  if (analysis !== undefined) return { ...decided, sentence: analysis.sentence };
  const seen = scrape !== undefined && scrape.problem === null;
  return {
    ...decided,
    sentence: seen
      ? `${target}: one scrape shows what is there, not whether it grows.`
      : notSeen(target, scrape?.problem ?? 'no request was sent'),
  };
}

function notSeen(target: string, problem: string): string {
  return problem.startsWith(target) ? `${problem}.` : `${target} could not be observed: ${problem}.`;
}

function historySentence(
  target: string,
  verdict: Verdict,
  { resources }: DetectedTarget,
  analysis: Analysis | undefined,
): string {
  const [first] = resources;
  if (verdict === 'healthy') return `${target}: nothing grew over days beyond what pods and noise explain.`;
  assert(first !== undefined, `${verdict} without a resource`);
  const all = resources.filter(one => one === first || one.verdict === verdict).map(({ resource }) => resource);
  const what = `${target} ${verdict === 'leak' ? 'leaks' : 'may leak'} ${all.join(' and ')}, by its history`;
  const slug = slugOf(first.resource);
  const match = analysis?.findings.find(finding => finding.resource === slug)?.matches[0];
  if (match === undefined) return `${what}.`;
  const fixed = match.fixedIn.length === 0 ? '' : `; fixed in ${match.fixedIn.join(', ')}`;
  return `${what}: ${match.title} (${match.ref}, ${match.grade}${fixed}).`;
}

/** The worst resource, and every other one that may leak. */
function historyReasons({ resources, from, to }: DetectedTarget): string[] {
  const told = resources.filter(({ verdict }, i) => i === 0 || mayLeak(verdict));
  return told.flatMap(({ reasons: [reason] }) =>
    reason === undefined ? [] : [`${day(from)} to ${day(to)}: ${reason}`],
  );
}

/** `2026-11-15T07:12Z` of RFC 3339. */
function day(time: string): string {
  return `${time.slice(0, 16)}Z`;
}
