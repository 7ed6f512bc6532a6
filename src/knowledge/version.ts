/**
 * Versions as they are found in the wild, and whether a known leak is in one.
 *
 *     v1.36.0-do.1   1.29.4-gke.1043002   v1.30.2-eks-1552ad0   v1.31.3+k3s1   v1.36.0-rc.1   v0.32.0
 *
 * Only alpha, beta and rc make a pre-release, which sorts before its release. Every other suffix is a vendor's mark on
 * a build of that release, and counts as the release.
 */
import type { AffectedRange, KnownLeak } from './known-leak.ts';
import type { VersionVerdict } from './known-leak-match.ts';

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** False for `v1.36` or `1.36+`. */
  readonly patchKnown: boolean;
  /** `['rc', 1]`; empty for a release. */
  readonly preRelease: readonly (string | number)[];
  /** What the vendor added, without its separator: `do.1`, `k3s1`. */
  readonly vendor: string;
}

const SHAPE = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6})(?=$|[-+.~_ ])|(?=$|[-+~_ ]))(.*)$/i;
const PRE_RELEASE = /^-(alpha|beta|rc)((?:\.?\d{1,6})*)(?![a-z0-9])/i;

export function parseVersion(text: string): Version | undefined {
  const shape = SHAPE.exec(text.trim());
  if (shape === null) return undefined;
  const [, major, minor, patch, suffix = ''] = shape;
  const pre = patch === undefined ? null : PRE_RELEASE.exec(suffix);
  const [, stage = '', numbers = ''] = pre ?? [];
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch ?? 0),
    patchKnown: patch !== undefined,
    preRelease: pre === null ? [] : [stage.toLowerCase(), ...(numbers.match(/\d+/g) ?? []).map(Number)],
    vendor: suffix.slice(pre?.[0].length ?? 0).replace(/^[-+.~_ ]+/, ''),
  };
}

/** Negative, zero or positive, as `a` is before, the same as, or after `b`; vendors' marks do not count. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePreReleases(a.preRelease, b.preRelease);
}

function comparePreReleases(a: Version['preRelease'], b: Version['preRelease']): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  for (const [i, x] of a.entries()) {
    const y = b[i];
    if (y === undefined) break;
    if (x === y) continue;
    // The stage comes first in both, the numbers after it: never one against the other.
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

export function formatVersion(version: Version): string {
  const [stage, ...numbers] = version.preRelease;
  const pre = stage === undefined ? '' : `-${[stage, ...numbers].join('.')}`;
  return `v${version.major}.${version.minor}${version.patchKnown ? `.${version.patch}` : ''}${pre}`;
}

export interface VersionJudgement {
  readonly verdict: VersionVerdict;
  /** A sentence. */
  readonly why: string;
}

/** Is `leak` in this version of its component? `version` is '' when nothing tells. */
export function affectedBy(leak: Pick<KnownLeak, 'affected' | 'fixedIn'>, version: string): VersionJudgement {
  const { affected } = leak;
  if (affected.length === 0) return unknown('which versions have it is not known');
  if (affected.some(range => range.from === '' && range.fixed === '')) {
    return { verdict: 'affected', why: 'no version is known to have a fix' };
  }
  if (version === '') return unknown(`the version is not known; ${fixes(leak.fixedIn)}`);
  const parsed = parseVersion(version);
  if (parsed === undefined) return unknown(`the version ${JSON.stringify(version)} cannot be read`);
  if (parsed.major === 0 && parsed.minor === 0 && parsed.patch === 0) {
    return unknown(`${version} is what a build without a version stamp says`);
  }

  const name = parsed.vendor === '' ? formatVersion(parsed) : `${version} (a build of ${formatVersion(parsed)})`;
  const verdict = place(affected, parsed);
  if (!parsed.patchKnown && verdict !== place(affected, { ...parsed, patch: Number.MAX_SAFE_INTEGER })) {
    return unknown(`${name} does not say which patch release it is; ${fixes(leak.fixedIn)}`);
  }
  if (parsed.preRelease.length > 0 && !boundedByPreRelease(affected, parsed)) {
    const release = { ...parsed, preRelease: [] };
    if (place(affected, release) !== verdict) {
      return unknown(`${name} is a pre-release of the version where that changed`);
    }
  }
  switch (verdict) {
    case 'affected':
      return { verdict, why: `${name} is affected; ${fixes(leak.fixedIn)}` };
    case 'fixed':
      return { verdict, why: `${name} has the fix` };
    default:
      return { verdict, why: `${name} is older than the first affected version` };
  }
}

function place(ranges: readonly AffectedRange[], version: Version): VersionVerdict {
  let verdict: VersionVerdict = 'not-affected';
  for (const range of ranges) {
    const from = parseVersion(range.from);
    const fixed = parseVersion(range.fixed);
    const begun = from === undefined || compareVersions(version, from) >= 0;
    const over = fixed !== undefined && compareVersions(version, fixed) >= 0;
    if (begun && !over) return 'affected';
    if (over) verdict = 'fixed';
  }
  return verdict;
}

/** Does the catalogue say in which pre-release of this very version it changed? */
function boundedByPreRelease(ranges: readonly AffectedRange[], version: Version): boolean {
  const ends = ranges.flatMap(range => [parseVersion(range.from), parseVersion(range.fixed)]);
  return ends.some(
    end =>
      end !== undefined &&
      end.preRelease.length > 0 &&
      end.major === version.major &&
      end.minor === version.minor &&
      end.patch === version.patch,
  );
}

function fixes(fixedIn: readonly string[]): string {
  return fixedIn.length === 0 ? 'no release has the fix' : `fixed in ${fixedIn.join(', ')}`;
}

function unknown(why: string): VersionJudgement {
  return { verdict: 'unknown', why };
}

/** A range of affected versions in words: `from 1.36.0, before 1.36.3`. */
export function rangeText({ from, fixed }: AffectedRange): string {
  if (from === '' && fixed === '') return 'every version';
  if (fixed === '') return `from ${from}`;
  return from === '' ? `before ${fixed}` : `from ${from}, before ${fixed}`;
}
