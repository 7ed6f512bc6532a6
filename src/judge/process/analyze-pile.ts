/** `oakum analyze`: turns a pile of evidence into findings per process and one sentence. */
import { formatBytes } from '../../base/quantities.ts';
import { exactTimeText, isInCalendar, timeText } from '../../base/time-text.ts';
import { fileName } from '../../evidence/path-parts.ts';
import type { LoggedKill } from '../../evidence/snapshots/read-context.ts';
import type { ReferenceTable } from '../growth/reference.ts';
import { targetFacts, type GivenFacts } from './target-facts.ts';
import type { Analysis, AnalysisInput, Finding, MissingEvidence, ResourceLedger } from '../analysis.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Snapshot } from '../../evidence/snapshots/snapshot.ts';
import { type Verdict, worst } from '../verdict.ts';
import { diagnoseProcess } from './diagnose-process.ts';
import { evidenceOf, type ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import { missingEvidence } from './missing-evidence.ts';
import type { Pile } from '../../evidence/snapshots/read-pile.ts';
import { firstSampleSeconds } from '../../evidence/snapshots/process-series.ts';
import { rankFindings } from './rank-findings.ts';
import { sentenceOf } from './sentence.ts';

export interface AnalyzeOptions {
  readonly catalogue: readonly KnownLeak[];
  readonly given?: GivenFacts;
  readonly operations?: number | undefined;
  readonly references?: readonly ReferenceTable[];
}

export function analyzePile(pile: Pile, options: AnalyzeOptions): Analysis {
  const findings: Finding[] = [];
  const reasons: string[] = [];
  const verdicts: Verdict[] = [];
  const ledgers: ResourceLedger[] = [];
  const exploding = new Set<string>();
  const gaps = new Map<string, { evidence: ProcessEvidence[]; facts: TargetFacts; findings: Finding[] }>();
  const processes = evidenceOf(pile.snapshots, pile.viewGroups);
  for (const evidence of processes) {
    const { target } = evidence.process;
    const ofTarget = pile.snapshots.filter(snapshot => snapshot.process.target === target);
    const facts = targetFacts(ofTarget, options.given);
    const diagnosis = diagnoseProcess(evidence, {
      facts,
      catalogue: options.catalogue,
      operations: options.operations,
      references: options.references ?? [],
    });
    const name = processName(evidence, processes);
    const life = lifeOf(evidence, processes);
    findings.push(
      ...diagnosis.findings.map(finding =>
        life === null ? finding : { ...finding, life, reasons: [lifeText(life), ...finding.reasons] },
      ),
    );
    if (diagnosis.explodes) exploding.add(target);
    verdicts.push(diagnosis.verdict);
    ledgers.push(...diagnosis.ledgers);
    reasons.push(...diagnosis.reasons.map(reason => (processes.length > 1 ? `${name}: ${reason}` : reason)));
    reasons.push(...(evidence.process.conflicts ?? []).map(conflict => `${target}: ${conflict}`));
    const gap = gaps.get(target) ?? { evidence: [], facts, findings: [] };
    gap.evidence.push(evidence);
    gap.findings.push(...diagnosis.findings);
    gaps.set(target, gap);
  }
  reasons.push(...pile.snapshots.flatMap(cutText), ...(pile.kills ?? []).map(killText));
  const verdict = worst(verdicts);
  const sorted = withoutRepetition(rankFindings(findings, exploding));
  const missing: MissingEvidence[] = [];
  // One life of a target may have what another lacks.
  for (const [target, gap] of gaps) missing.push(...missingEvidence(target, gap.evidence, gap.facts, gap.findings));
  return {
    schema: 'oakum.analysis/v1',
    sentence: sentenceOf(verdict, verdicts, sorted, processes, pile),
    verdict,
    reasons,
    inputs: [...pile.snapshots.map(toInput), ...pile.unread.map(({ path, message }) => unreadInput(path, message))],
    findings: sorted,
    missing,
    ledgers,
  };
}

/** Values that are missing look like zero to nobody, but rates over them are not known. */
function cutText({ kind, path, truncated }: Snapshot): string[] {
  return kind === 'metrics' && truncated !== undefined ? [`${fileName(path)}: ${truncated}`] : [];
}

function killText({ host, process, atSeconds, residentBytes }: LoggedKill): string {
  const where = host === '' ? '' : ` on ${host}`;
  const when = atSeconds === undefined || !isInCalendar(atSeconds) ? '' : ` at ${timeText(atSeconds)}`;
  const size = residentBytes === undefined ? '' : ` with ${formatBytes(residentBytes)} resident`;
  return `${process} was OOM-killed${where}${when}${size}: oakum cycle tells what came before and after`;
}

/** `leak-b`, or `leak-b, life 2 of 2` if the target was restarted. */
function processName(evidence: ProcessEvidence, all: readonly ProcessEvidence[]): string {
  const life = lifeOf(evidence, all);
  return life === null ? evidence.process.target : `${evidence.process.target}, ${lifeText(life)}`;
}

function lifeOf({ process }: ProcessEvidence, all: readonly ProcessEvidence[]): Finding['life'] {
  const lives = all.filter(other => other.process.target === process.target);
  if (lives.length === 1) return null;
  return { number: lives.findIndex(({ process: { key } }) => key === process.key) + 1, of: lives.length };
}

function lifeText({ number, of }: NonNullable<Finding['life']>): string {
  return `life ${number} of ${of}`;
}

/** The first family of a known leak explains it; the others refer to that one. */
function withoutRepetition(findings: readonly Finding[]): Finding[] {
  const explained = new Set<string>();
  return findings.map(finding => {
    const [match] = finding.matches;
    if (match === undefined) return finding;
    const key = `${finding.target}\0${match.id}`;
    if (!explained.has(key)) {
      explained.add(key);
      return finding;
    }
    const matches = finding.matches.map(one => ({ ...one, sideEffects: [], workaround: '', hazards: [] }));
    return { ...finding, cause: null, matches, advice: [] };
  });
}

function toInput({ path, kind, process, takenAtSeconds, takenAtFrom, truncated, series }: Snapshot): AnalysisInput {
  // The date of a file says when it was written or copied, not when the snapshot was taken.
  const told = takenAtFrom === 'content' || takenAtFrom === 'name' ? takenAtSeconds : undefined;
  const first = firstSampleSeconds(series);
  const isRecording = told !== undefined && first !== undefined && first < told;
  return {
    path,
    kind,
    target: process.target,
    takenAt: told === undefined ? null : timeOrNull(told),
    since: isRecording ? timeOrNull(first) : null,
    truncated: truncated ?? null,
    goVersion: process.goVersion === '' ? null : process.goVersion,
    error: null,
  };
}

function timeOrNull(seconds: number): string | null {
  return isInCalendar(seconds) ? exactTimeText(seconds) : null;
}

function unreadInput(path: string, error: string): AnalysisInput {
  return { path, kind: 'unknown', target: '', takenAt: null, since: null, truncated: null, goVersion: null, error };
}
