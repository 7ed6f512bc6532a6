/**
 * Every answer of a target against what the store has in the end. Each answer has a number that no other answer of that
 * target has, which the store keeps exactly: so each is found, or is lost.
 */
export interface Answer {
  readonly at: number;
  readonly number: number;
}

export interface JudgedSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface JudgedSamples {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

const MOST_NAMED = 10;

export function judgeSamples(
  answers: readonly (readonly Answer[])[],
  stored: readonly ReadonlySet<number>[],
  spans: readonly JudgedSpan[],
): JudgedSamples {
  const problems: string[] = [];
  const lines = spans.map(({ name, from, to }) => {
    let [answered, lost] = [0, 0];
    answers.forEach((all, target) => {
      for (const { at, number } of all) {
        if (at < from || at >= to) continue;
        answered++;
        if (stored[target]?.has(number) === true) continue;
        lost++;
        if (problems.length < MOST_NAMED)
          problems.push(`${name}: what target ${target} answered at ${new Date(1000 * at).toISOString()} is lost`);
      }
    });
    return `${name}: ${answered} answers of targets, ${answered - lost} of them in the store, ${lost} lost`;
  });
  return { lines, problems };
}
