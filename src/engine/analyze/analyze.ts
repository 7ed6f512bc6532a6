/** `oakum analyze`: from a pile of evidence to findings, per process, and to one sentence. */
import type { ReferenceTable } from '../../analysis/growth/reference.ts';
import { targetFacts, type GivenFacts } from './target-facts.ts';
import type { Analysis, AnalysisInput, Finding, MissingEvidence, Verdict } from '../../model/analysis.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { diagnoseProcess } from './diagnose-process.ts';
import { evidenceOf, type ProcessEvidence } from './evidence.ts';
import { missingEvidence } from './missing.ts';
import type { Pile } from './read-pile.ts';
import { sentenceOf } from './sentence.ts';

export interface AnalyzeOptions {
  readonly catalogue: readonly KnownLeak[];
  readonly given?: GivenFacts;
  readonly operations?: number | undefined;
  readonly references?: readonly ReferenceTable[];
}

const RANK: readonly Verdict[] = ['unknown', 'healthy', 'watch', 'leak'];

export function analyzePile(pile: Pile, options: AnalyzeOptions): Analysis {
  const findings: Finding[] = [];
  const reasons: string[] = [];
  const verdicts: Verdict[] = [];
  const gaps = new Map<string, readonly MissingEvidence[]>();
  const processes = evidenceOf(pile.snapshots, pile.moments);
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
    findings.push(...diagnosis.findings);
    verdicts.push(diagnosis.verdict);
    const name = processName(evidence, processes);
    reasons.push(...diagnosis.reasons.map(reason => (processes.length > 1 ? `${name}: ${reason}` : reason)));
    // What one life of a target lacks another may have: the last one says what is missing now.
    gaps.set(target, missingEvidence(evidence, facts, diagnosis.findings));
  }
  const verdict = verdicts.reduce<Verdict>(
    (worst, next) => (RANK.indexOf(next) > RANK.indexOf(worst) ? next : worst),
    'unknown',
  );
  const sorted = [...findings].sort(byWeight);
  const missing = [...gaps.values()].flat();
  return {
    schema: 'oakum.analysis/v1',
    sentence: sentenceOf(verdict, sorted, processes, pile),
    verdict,
    reasons,
    inputs: [...pile.snapshots.map(toInput), ...pile.unread.map(({ path, message }) => unreadInput(path, message))],
    findings: sorted,
    missing,
  };
}

/** `leak-b`, or `leak-b, life 2 of 2` where the target was restarted. */
function processName({ process }: ProcessEvidence, all: readonly ProcessEvidence[]): string {
  const lives = all.filter(other => other.process.target === process.target);
  if (lives.length === 1) return process.target;
  return `${process.target}, life ${lives.findIndex(({ process: { key } }) => key === process.key) + 1} of ${lives.length}`;
}

/** Leaks before suspicions, known before unknown, then by how much of the resource is in them. */
function byWeight(a: Finding, b: Finding): number {
  const grade = (finding: Finding): number =>
    ['possible', 'probable', 'confirmed'].indexOf(finding.matches[0]?.grade ?? '');
  return (
    RANK.indexOf(b.verdict) - RANK.indexOf(a.verdict) ||
    grade(b) - grade(a) ||
    (b.growth?.delta ?? 0) * Number(b.resource === a.resource) -
      (a.growth?.delta ?? 0) * Number(b.resource === a.resource) ||
    b.share - a.share
  );
}

function toInput({ path, kind, process, takenAtSeconds, truncated }: Snapshot): AnalysisInput {
  return {
    path,
    kind,
    target: process.target,
    takenAt: takenAtSeconds === undefined ? null : new Date(takenAtSeconds * 1000).toISOString(),
    truncated: truncated ?? null,
    goVersion: process.goVersion === '' ? null : process.goVersion,
    error: null,
  };
}

function unreadInput(path: string, error: string): AnalysisInput {
  return { path, kind: 'unknown', target: '', takenAt: null, truncated: null, goVersion: null, error };
}
