/** What is wrong with a catalogue beyond the form of its files. */
import type { KnownLeak } from './known-leak.ts';
import { type Complain, lintSignatures } from './lint-signatures.ts';
import { isRef } from './refs.ts';
import { affectedBy, compareVersions, formatVersion, parseVersion, type Version } from './version.ts';

export interface LintProblem {
  readonly id: string;
  readonly field: string;
  readonly problem: string;
}

export function lintCatalogue(leaks: readonly KnownLeak[]): LintProblem[] {
  const problems: LintProblem[] = [];
  const ids = new Set<string>();
  for (const leak of leaks) {
    const complain: Complain = (field, problem) => void problems.push({ id: leak.id, field, problem });
    if (ids.has(leak.id)) complain('id', 'stands twice in the catalogue');
    ids.add(leak.id);
    lintRefs(leak, complain);
    lintRanges(leak, complain);
    lintSignatures(leak, leaks, complain);
  }
  return problems;
}

function lintRefs(leak: KnownLeak, complain: Complain): void {
  leak.refs.forEach((ref, index) => {
    if (!isRef(ref))
      complain(`refs[${index}]`, `${JSON.stringify(ref)} is not NAME#NUMBER, OWNER/NAME#NUMBER or CVE-YEAR-NUMBER`);
    if (leak.refs.indexOf(ref) !== index) complain(`refs[${index}]`, `${ref} stands twice`);
  });
}

function lintRanges(leak: KnownLeak, complain: Complain): void {
  const ranges = leak.affected.map(({ from, fixed }) => ({ from: parseVersion(from), fixed: parseVersion(fixed) }));
  ranges.forEach(({ from, fixed }, index) => {
    const field = `affected[${index}]`;
    if (from !== undefined && fixed !== undefined && compareVersions(from, fixed) >= 0) {
      complain(field, `is fixed in ${formatVersion(fixed)}, not after it begins in ${formatVersion(from)}`);
    }
    const previous = ranges[index - 1];
    if (previous === undefined) return;
    const ends = previous.fixed;
    if (from === undefined || ends === undefined || compareVersions(ends, from) > 0) {
      complain(field, 'overlaps the range before it, or stands out of order');
    }
  });
  for (const { fixed } of ranges) {
    if (fixed !== undefined && !named(leak.fixedIn, fixed)) {
      complain('fixedIn', `lacks ${formatVersion(fixed)}, where a range of affected ends`);
    }
  }
  leak.fixedIn.forEach((text, index) => {
    const field = `fixedIn[${index}]`;
    if (parseVersion(text)?.patchKnown !== true) complain(field, `${JSON.stringify(text)} is not a version`);
    else if (affectedBy(leak, text).verdict !== 'fixed') {
      complain(field, `${text} is ${affectedBy(leak, text).verdict} by the ranges of affected`);
    }
  });
}

/** A range may end in a pre-release of a version that is named as fixed. */
function named(fixedIn: readonly string[], fixed: Version): boolean {
  return fixedIn.some(text => {
    const version = parseVersion(text);
    return version !== undefined && compareVersions(version, { ...fixed, preRelease: version.preRelease }) === 0;
  });
}
