/**
 * The same churn on several versions: which is the first that grows, and by which family.
 *
 *     A/  0 per operation      B/  0 per operation      C/  1.0 goroutines per operation, context.propagateCancel
 *                                                       ^ first bad: read what changed between B and C
 */
import type { Analysis, Finding } from '../analysis.ts';
import type { BisectedVersion, FirstBad, VersionBisection, VersionFamily } from './bisection.ts';
import { packageOf } from '../../profile/go-name/normalise.ts';
import { mayLeak, worst } from '../verdict.ts';
import { whatToRead } from './what-to-read.ts';

export interface AnalyzedVersion {
  readonly name: string;
  readonly version: string | undefined;
  readonly goVersion: string | undefined;
  readonly analysis: Analysis;
  readonly operations: number | undefined;
}

const MOST_FAMILIES = 10;
/** A family that grew before by this share of what it grows now did not appear. */
const OLD_SHARE = 0.25;

export function bisectVersions(given: readonly AnalyzedVersion[]): VersionBisection {
  const versions = given.map(bisectedVersion);
  const bad = versions.findIndex(({ families }) => families.length > 0);
  const firstBad = bad <= 0 ? null : firstBadOf(versions, bad);
  return {
    schema: 'oakum.versions/v1',
    sentence: sentenceOf(versions, bad, firstBad),
    verdict: worst(versions.map(({ verdict }) => verdict)),
    versions,
    firstBad,
  };
}

function bisectedVersion({ name, version, goVersion, analysis, operations }: AnalyzedVersion): BisectedVersion {
  const per = operations === undefined ? 'hour' : 'operation';
  const growing = analysis.findings
    .filter(finding => mayLeak(finding.verdict) && rateOf(finding, per) > 0)
    .sort((a, b) => rateOf(b, per) - rateOf(a, per));
  const sumOf = (resource: Finding['resource']): number | null => {
    const rates = growing.filter(finding => finding.resource === resource).map(finding => rateOf(finding, per));
    return analysis.findings.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0);
  };
  return {
    name,
    version: version ?? null,
    goVersion: goVersion ?? null,
    verdict: analysis.verdict,
    goroutinesGrowth: sumOf('goroutines'),
    heapBytesGrowth: sumOf('heap'),
    per,
    families: growing.slice(0, MOST_FAMILIES).map(finding => familyOf(finding, per)),
  };
}

function rateOf({ growth }: Finding, per: BisectedVersion['per']): number {
  return (per === 'operation' ? growth?.perOperation : growth?.perHour) ?? 0;
}

function familyOf(finding: Finding, per: BisectedVersion['per']): VersionFamily {
  const { family, resource, owner } = finding;
  const frame = family.frames.find(one => !isRuntime(packageOf(one))) ?? family.frames[0] ?? '';
  return {
    id: family.id,
    title: family.title,
    resource,
    growth: rateOf(finding, per),
    owner: owner.name,
    package: packageOf(frame),
  };
}

/** Packages of the standard library have no dot in their first element. */
function isRuntime(name: string): boolean {
  return !(name.split('/')[0] ?? '').includes('.');
}

function firstBadOf(versions: readonly BisectedVersion[], bad: number): FirstBad | null {
  const [good, now] = [versions[bad - 1], versions[bad]];
  if (good === undefined || now === undefined) return null;
  const before = new Map(good.families.map(({ id, growth }) => [id, growth]));
  const families = now.families.filter(({ id, growth }) => (before.get(id) ?? 0) < OLD_SHARE * growth);
  return { name: now.name, lastGood: good.name, families, read: whatToRead(good, now, families) };
}

function sentenceOf(versions: readonly BisectedVersion[], bad: number, firstBad: FirstBad | null): string {
  if (bad < 0) return `None of ${versions.length} versions grows`;
  const later = versions.slice(bad + 1).filter(({ families }) => families.length === 0);
  const fixed =
    later.length === 0
      ? ''
      : `; ${later.map(({ name }) => name).join(', ')} no longer ${later.length === 1 ? 'does' : 'do'}`;
  if (firstBad === null)
    return `${versions[bad]?.name ?? ''}, the first one given, grows already: add an older version${fixed}`;
  const [family] = firstBad.families;
  const by = family === undefined ? '' : `, in ${family.title}`;
  return `${firstBad.name} is the first version that grows${by}; ${firstBad.lastGood} does not${fixed}`;
}
