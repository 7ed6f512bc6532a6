/** `{"status":"error","errorType":"bad_data","error":"..."}`: what to ask instead. */

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/exceeded maximum resolution/i, 'ask with a larger step, or for a shorter time'],
  [/too many samples|max.*samples|memory.*limit/i, 'ask for fewer series or a larger step'],
  [/parse error|bad_data|invalid parameter/i, 'check the query and its start, end and step'],
  [/timeout|timed out|deadline|canceled/i, 'ask for less at once'],
  [/not_found|unauthorized|forbidden/i, 'check the address and the right to query'],
];

export function explainApiError(errorType: string, error: string): string {
  const hint = HINTS.find(([pattern]) => pattern.test(`${errorType} ${error}`))?.[1];
  const type = errorType === '' ? '' : ` (${errorType})`;
  return `no samples: Prometheus answered with an error${type}: ${error || 'no reason given'}${hint === undefined ? '' : `; ${hint}`}`;
}
