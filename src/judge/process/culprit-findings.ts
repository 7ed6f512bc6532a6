/**
 * Known leaks whose stacks are several: one makes what leaks, the others only hold it. The evidence about any of them is
 * evidence about the one to blame, so that it leads:
 *
 *     leak    volumemanager.(*volumeManager).WaitForAttachAndMount → ...     19 MiB, proved
 *     watch   kubelet.(*podWorkers).startPodSync → context.WithCancel        7 MiB: to blame, so proved as well
 */
import { isToBlame } from '../../knowledge/signature.ts';
import type { Finding } from '../analysis.ts';
import type { Match, MatchGrade } from '../../model/match.ts';
import type { Ledger, LedgerEntry } from '../ledger/ledger.ts';
import { weigh } from '../ledger/weigh.ts';

/** `aside` has findings about families that are too small by themselves; those to blame for a finding join it. */
export function withCulprits(findings: readonly Finding[], aside: readonly Finding[]): Finding[] {
  const known = new Set(findings);
  const all = [...findings, ...aside];
  return all.flatMap(finding => {
    const holder = holderOf(finding, findings);
    if (holder !== undefined) return [blamed(finding, holder)];
    return known.has(finding) ? [finding] : [];
  });
}

/** The most certain finding about the same leak that only holds what this one makes. */
function holderOf(finding: Finding, findings: readonly Finding[]): Finding | undefined {
  const match = blamedBy(finding);
  if (match === undefined) return undefined;
  return findings
    .filter(({ matches: [own], family }) => own?.id === match.id && !isToBlame(own, family.frames))
    .reduce<Finding | undefined>(
      (best, one) => (best !== undefined && best.ledger.probability >= one.ledger.probability ? best : one),
      undefined,
    );
}

function blamedBy({ matches: [match], family }: Finding): Match | undefined {
  return match !== undefined && match.culprit !== '' && isToBlame(match, family.frames) ? match : undefined;
}

function blamed(finding: Finding, holder: Finding): Finding {
  const ledger = together(finding.ledger, holder);
  if (ledger.probability <= finding.ledger.probability) return finding;
  const [own, ...rest] = finding.matches;
  const [held] = holder.matches;
  const best =
    own !== undefined && held !== undefined && gradeOf(held) > gradeOf(own) ? { ...held, why: own.why } : own;
  return { ...finding, verdict: ledger.verdict, ledger, matches: best === undefined ? rest : [best, ...rest] };
}

/** What both show counts once. */
function together(own: Ledger, { ledger: held, family }: Finding): Ledger {
  const entries = held.entries.map((entry): LedgerEntry => ({
    ...entry,
    sentence: `${family.title}, which holds it: ${entry.sentence}`,
  }));
  return weigh([...own.entries, ...entries], [...own.vetoes, ...held.vetoes]);
}

const GRADES: readonly MatchGrade[] = ['possible', 'probable', 'confirmed'];

function gradeOf({ grade }: Match): number {
  return GRADES.indexOf(grade);
}
