/** An offence found by a rule. */
export interface Offence {
  /** The file, or the folder for an offence between folders. */
  readonly path: string;
  /** 0 if it concerns the whole file. */
  readonly line: number;
  readonly problem: string;
  /** Its key in records/known.txt, for kinds that may be listed there. */
  readonly key?: string;
}

export function offenceText({ path, line, problem }: Offence): string {
  return `${path}${line > 0 ? `:${line}` : ''}: ${problem}`;
}
