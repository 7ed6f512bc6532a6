/** The sentence at the top of an analysis. */
import { assert } from '../../base/assert.ts';
import { groupBy } from '../../base/group-by.ts';
import { formatCount } from '../../base/quantities.ts';
import type { Finding } from '../analysis.ts';
import { mayLeak, type Verdict } from '../verdict.ts';
import { resourceOf } from '../../evidence/resource.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import { isStuck } from './rank-findings.ts';
import type { Pile } from '../../evidence/snapshots/read-pile.ts';

/** `verdicts` are those of `processes`, in the same order. */
export function sentenceOf(
  verdict: Verdict,
  verdicts: readonly Verdict[],
  findings: readonly Finding[],
  processes: readonly ProcessEvidence[],
  pile: Pile,
): string {
  if (processes.length === 0) {
    if (pile.unread.length + pile.snapshots.length === 0) return 'There was nothing to read.';
    return `Nothing here is a profile, a goroutine dump or metrics.${elsewhereText(pile)}`;
  }
  const targets = [...new Set(processes.map(({ process }) => process.target))];
  const subject = targets.length === 1 ? targets[0] : `${targets.length} targets`;
  const stuck = stuckText(findings);
  if (verdict === 'healthy') return `${subject}: nothing grows beyond what chance and load explain.${stuck}`;
  if (verdict === 'unknown') {
    const healthyCount = verdicts.filter(one => one === 'healthy').length;
    if (healthyCount > 0) {
      const parts = targets.length === 1 ? 'lives' : 'processes';
      return `${subject}: nothing grows in ${healthyCount} of ${processes.length} ${parts}, but too little is known about the rest.${stuck}`;
    }
    const compared = processes.some(({ goroutines, heap }) => goroutines.length > 1 || heap.length > 1);
    return compared
      ? `${subject}: nothing that was compared grows, but not everything was judged.${stuck}`
      : `${subject}: too little evidence for a verdict; take the same again some minutes later.${stuck}`;
  }
  const [worst] = findings;
  assert(worst !== undefined, `${verdict} without a finding`);
  const leaking = [...new Set(findings.filter(finding => finding.verdict === verdict).map(({ target }) => target))];
  const who = leaking.length === 1 ? leaking[0] : `${leaking.length} of ${targets.length} targets`;
  const does = verdict !== 'leak' ? 'may leak' : leaking.length === 1 ? 'leaks' : 'leak';
  const what = runtimeProof(worst, findings, processes) ?? whatOf(worst);
  const also = alsoOf(worst, findings);
  return `${who} ${does} ${resourceOf(worst.resource)}: ${what}${also}.`;
}

/** The commands that read what this one does not. */
function elsewhereText({ snapshots, kills = [] }: Pile): string {
  const [kill] = kills;
  if (kill !== undefined) return ` ${kill.process} was OOM-killed: oakum cycle tells the rest.`;
  if (snapshots.some(({ format }) => format === 'range-query'))
    return ' oakum detect and oakum cycle read answers of Prometheus.';
  return snapshots.some(({ format }) => format === 'log') ? ' oakum cycle reads logs.' : '';
}

/** ` 8 goroutines can never run again, 4 of them in main.wait ← chan receive (nil chan).`, or ''. */
function stuckText(findings: readonly Finding[]): string {
  const stuck = findings.filter(isStuck);
  const [first] = stuck;
  if (first === undefined) return '';
  const all = stuck.reduce((sum, { count }) => sum + count, 0);
  const part = first.count === all ? 'in' : `${formatCount(first.count)} of them in`;
  return ` ${formatCount(all)} goroutines can never run again, ${part} ${first.family.title}.`;
}

/** `; and live heap: main.openSession`, the first finding of each other resource that leaks as surely, or may. */
function alsoOf(worst: Finding, findings: readonly Finding[]): string {
  const others = findings.filter(({ resource, verdict }) => resource !== worst.resource && mayLeak(verdict));
  const first = [...groupBy(others, ({ resource }) => resource).values()].flatMap(list => list.slice(0, 1));
  return first
    .map(finding => {
      const may = finding.verdict === worst.verdict ? '' : 'may leak ';
      return `; and ${may}${resourceOf(finding.resource)}: ${whatOf(finding)}`;
    })
    .join('');
}

/** What the runtime found in all; undefined where the worst finding is not among it. */
function runtimeProof(
  worst: Finding,
  findings: readonly Finding[],
  processes: readonly ProcessEvidence[],
): string | undefined {
  const isProved = ({ ledger }: Finding): boolean => ledger.entries.some(({ kind }) => kind === 'runtime-leak');
  if (!isProved(worst)) return undefined;
  const targets = new Set(findings.filter(isProved).map(({ target }) => target));
  let [all, here] = [0, 0];
  for (const { process, runtimeLeaks, goroutines } of processes) {
    if (!targets.has(process.target)) continue;
    for (const { family, leaked } of (runtimeLeaks ?? goroutines.at(-1)?.table)?.counts ?? []) {
      all += leaked;
      if (process.target === worst.target && family.id === worst.family.id) here += leaked;
    }
  }
  const goroutines = all === 1 ? '1 goroutine' : `${formatCount(all)} goroutines`;
  const part = here === all ? 'in' : `${formatCount(here)} of them in`;
  const known = knownAs(worst);
  const where = `${part} ${worst.family.title}${known === '' ? '' : `: ${known}`}`;
  return `the Go runtime found ${goroutines} that can never run again, ${where}`;
}

/** A known leak by what it is; else the family by its name. */
function whatOf(finding: Finding): string {
  const known = knownAs(finding);
  if (known !== '') return known;
  const [match] = finding.matches;
  if (match?.affected !== 'fixed') return finding.family.title;
  return `${finding.family.title} (looks like ${match.ref}, but this version has the fix)`;
}

function knownAs({ matches: [match] }: Finding): string {
  if (match === undefined || match.affected === 'fixed' || match.affected === 'not-affected') return '';
  const fix = match.fixedIn.length === 0 ? 'not fixed yet' : `fixed in ${match.fixedIn.join(', ')}`;
  return `${match.title} (${match.ref}, ${match.grade}; ${fix})`;
}
