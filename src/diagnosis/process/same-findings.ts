/** Whether two analyses found the same, whatever the targets are called. */
import type { Analysis, Finding } from '../../model/analysis.ts';

/** `withIds` is false where names of code were hidden too: then families have other ids. */
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
