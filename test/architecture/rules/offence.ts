/** What a rule says of a file. */
export interface Offence {
  /** The file, or the folder for what is between folders. */
  readonly path: string;
  /** 0 where it is about the whole file. */
  readonly line: number;
  readonly problem: string;
  /** How records/known.txt writes it, for the kinds that may stand there. */
  readonly key?: string;
}

export function offenceText({ path, line, problem }: Offence): string {
  return `${path}${line > 0 ? `:${line}` : ''}: ${problem}`;
}
