/** An offence found by a rule. */
export interface Offence {
  readonly rule: string;
  readonly path: string;
  /** 0 if it concerns the whole file. */
  readonly line: number;
  readonly problem: string;
  /** What it counts in records/known.txt; 1 unless a size is measured. */
  readonly weight?: number;
}

export function offenceText({ path, line, problem }: Offence): string {
  return `${path}${line > 0 ? `:${line}` : ''}: ${problem}`;
}
