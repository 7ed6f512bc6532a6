/** What came of one input: read, or refused in a way that a user can act on. Anything else is a crash. */
export type Outcome =
  | { readonly kind: 'read'; readonly format: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'crash'; readonly problem: string };

export function isOneLine(text: string): boolean {
  return !/[\n\r\x1b]/.test(text);
}

export function crash(when: string, error: unknown): Outcome {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'crash', problem: `${when}: ${problem.split('\n').slice(0, 8).join('\n')}` };
}
