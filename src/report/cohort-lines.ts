/** Cohorts as text: the verdict, what speaks against it, and what cannot be told apart. */
import { wrap } from '../base/text-layout.ts';
import { amountIn, hourly } from '../base/say.ts';
import { visible } from '../base/visible-text.ts';
import { exampleText } from '../judge/cohorts/cohort-words.ts';
import type { RecordedCohort } from '../judge/detect/recorded-detection.ts';
import type { Style } from './layout.ts';

const NAMED = 5;

export function cohortLines(cohorts: readonly RecordedCohort[], width: number, style: Style): string[] {
  return cohorts.flatMap(cohort => {
    const { verdict } = cohort;
    const [first = '', ...rest] = wrap(visible(cohort.sentence), width - verdict.length - 2);
    return [
      `${style.verdict(verdict, verdict)}  ${first}`,
      ...rest.map(line => `${' '.repeat(verdict.length + 2)}${line}`),
      ...cohortNotes(cohort).flatMap(note =>
        wrap(note, width - 2).map((line, i) => style.faint(`${i === 0 ? '  ' : '    '}${line}`)),
      ),
    ];
  });
}

/** What to add to the sentence, one line each. */
export function cohortNotes(cohort: RecordedCohort): string[] {
  const { against, alternatives, perPod, unit, vetoes } = cohort;
  const amount = amountIn(unit);
  const notes: string[] = [];
  if (perPod !== null)
    notes.push(`per pod ${hourly(amount(perPod[1]))} (${amount(perPod[0])} to ${amount(perPod[2])})`);
  // The first veto is in the sentence.
  notes.push(...vetoes.slice(1).map(({ sentence }) => visible(sentence)));
  for (const { target, differs, ratePerHour: own } of against.slice(0, NAMED)) {
    const different = differs.length === 0 ? 'nothing else that is known is different' : differs.join('; ');
    notes.push(`against: ${visible(target)} has it and ${exampleText(own, cohort)} (${visible(different)})`);
  }
  if (against.length > NAMED) notes.push(`against: ${against.length - NAMED} more that do not grow`);
  const said = alternatives.filter(({ relation }) => relation === 'alias' || relation === 'together');
  notes.push(...said.slice(0, NAMED).map(({ sentence }) => visible(sentence)));
  return notes;
}
