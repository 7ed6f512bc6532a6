/** Whether two analyses have the same findings, whatever the names of the targets. */
import type { Analysis, Finding } from '../judge/analysis.ts';

/** `withIds` is false if names of code were hidden too, since that changes the ids of families. */
export function sameFindings(a: Analysis, b: Analysis, withIds: boolean): boolean {
  const tell = ({ verdict, findings }: Analysis): string =>
    JSON.stringify([verdict, findings.map(finding => tellFinding(finding, withIds)).sort()]);
  return tell(a) === tell(b);
}

function tellFinding(finding: Finding, withIds: boolean): string {
  const { resource, verdict, family, count, bytes, growth, matches } = finding;
  const known = matches.map(({ id, grade, affected }) => [id, grade, affected]);
  return JSON.stringify([resource, verdict, withIds ? family.id : '', count, bytes, growth, known]);
}
