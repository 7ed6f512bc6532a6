/**
 * Every answer of a target against what the store has in the end. Each answer has a number that no other answer of that
 * target has, which the store keeps exactly: so each is found, or is lost. A replica may leave out an answer if the target
 * changed hands meanwhile; the interval must have another one then.
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

const MAX_NAMED = 10;

export function judgeSamples(
  answers: readonly (readonly Answer[])[],
  stored: readonly ReadonlySet<number>[],
  spans: readonly JudgedSpan[],
  intervalSeconds: number,
): JudgedSamples {
  const problems: string[] = [];
  const lines = spans.map(({ name, from, to }) => {
    let [answered, handed, lost] = [0, 0, 0];
    answers.forEach((all, target) => {
      for (const { at, number } of all) {
        if (at < from || at >= to) continue;
        answered++;
        const kept = stored[target];
        if (kept?.has(number) === true) continue;
        const isDoubled = all.some(
          one => Math.abs(one.at - at) < intervalSeconds / 2 && kept?.has(one.number) === true,
        );
        if (isDoubled) {
          handed++;
          continue;
        }
        lost++;
        if (problems.length < MAX_NAMED)
          problems.push(`${name}: what target ${target} answered at ${new Date(1000 * at).toISOString()} is lost`);
      }
    });
    const double = handed === 0 ? '' : `, ${handed} left out beside another of the interval`;
    return `${name}: ${answered} answers of targets, ${answered - lost - handed} of them in the store${double}, ${lost} lost`;
  });
  return { lines, problems };
}
