/**
 * The same churn on several versions: which is the first that grows, and by which family.
 *
 *     A/  0 per operation      B/  0 per operation      C/  1.0 goroutines per operation, context.propagateCancel
 *                                                       ^ first bad: read what changed between B and C
 */
import type { Analysis, Finding } from '../analysis.ts';
import type { BisectedVersion, FirstBad, VersionBisection, VersionFamily } from './bisection.ts';
import { packageOf } from '../../profile/families/normalise.ts';
import { mayLeak, worst } from '../verdict.ts';

/** Which modules to look into, and which range of their releases. */
const VERSION = /^v?\d+\.\d+/;

export interface AnalyzedVersion {
  readonly name: string;
  readonly version: string | undefined;
  readonly goVersion: string | undefined;
  readonly analysis: Analysis;
  readonly operations: number | undefined;
}

const MAX_FAMILIES = 10;
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
    families: growing.slice(0, MAX_FAMILIES).map(finding => familyOf(finding, per)),
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

function whatToRead(good: BisectedVersion, bad: BisectedVersion, families: readonly VersionFamily[]): string[] {
  const modules = [...new Set(families.map(one => moduleOf(one.package)).filter(name => name !== ''))];
  const [from, to] = [good.version ?? good.name, bad.version ?? bad.name];
  const range = `${from} to ${to}`;
  const lines = modules.map(module => {
    const repository = repositoryOf(module);
    const link =
      repository === undefined || !VERSION.test(from) || !VERSION.test(to)
        ? ''
        : `: https://${repository}/compare/${tag(from)}...${tag(to)}`;
    // A dependency has versions of its own: the program's go.mod says which.
    return module === 'k8s.io/kubernetes' || repository === undefined
      ? `${module}, ${range}${link}`
      : `${module}, the versions that go.mod had at ${range}`;
  });
  const [minor] = /^\d+\.\d+/.exec(to.replace(/^v/, '')) ?? [];
  if (modules.includes('k8s.io/kubernetes') && minor !== undefined) {
    lines.push(`release notes: https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-${minor}.md`);
  }
  if (good.goVersion !== null && bad.goVersion !== null && good.goVersion !== bad.goVersion) {
    lines.push(`the Go release changed as well: ${good.goVersion} to ${bad.goVersion}`);
  }
  return lines;
}

function tag(version: string): string {
  return version.startsWith('v') ? version : `v${version}`;
}

/** The module of a package, by how hosts name them; '' for the standard library. */
function moduleOf(name: string): string {
  const parts = name.split('/');
  const [host = ''] = parts;
  if (!host.includes('.')) return '';
  const length = host === 'k8s.io' || host === 'sigs.k8s.io' || host === 'go.etcd.io' || host === 'gopkg.in' ? 2 : 3;
  const isMajor = /^v\d+$/.test(parts[length] ?? '');
  return parts.slice(0, isMajor ? length + 1 : length).join('/');
}

function repositoryOf(module: string): string | undefined {
  if (module === 'k8s.io/kubernetes') return 'github.com/kubernetes/kubernetes';
  const [host, ...rest] = module.split('/');
  if (host === 'k8s.io') return `github.com/kubernetes/${rest.join('/')}`;
  if (host === 'sigs.k8s.io') return `github.com/kubernetes-sigs/${rest.join('/')}`;
  return host === 'github.com' ? `github.com/${rest.slice(0, 2).join('/')}` : undefined;
}
