/** `oakum gate init`: a budget from what a program leaves behind now. */
import { amountIn, formatCount } from '../base/say.ts';
import { oneLine } from '../base/text-layout.ts';
import { type GateMeasure, type GateResult, GATE_RULES } from './gate.ts';
import { nextInterval } from './baseline.ts';

/** The budget file as YAML. What leaks now is in the baseline, so that the budget stays what it should be. */
export function budgetText(result: GateResult, baselineFile: string | undefined): string {
  const rows = result.measures.filter(one => one.per === 'operation' && one.scope === null).map(rowText);
  return [
    '# What each operation may leave behind: oakum gate --budget oakum.budget.yaml',
    `# Written by oakum gate init from ${formatCount(result.operations)} operations: ${oneLine(result.sentence)}`,
    ...(baselineFile === undefined
      ? []
      : [
          '',
          '# What it leaves behind already. Only what is new or faster fails. Write it again when a leak is fixed.',
          `baseline: ${baselineFile}`,
        ]),
    '',
    'budgets:',
    ...rows,
    '',
    '# exceptions:',
    '#   - { family: g-1a2b3c4d5e, reason: waits for the fix, issue: https://example.com/issues/7, until: 2027-01-31 }',
    '',
  ].join('\n');
}

function rowText(measure: GateMeasure): string {
  const { resource, growth, unit, decision } = measure;
  const amount = amountIn(unit);
  const now = growth === null ? 'not known' : `${amount(growth[1])} (${amount(growth[0])} to ${amount(growth[2])})`;
  const why = decision === 'undecided' && growth !== null ? '; more operations in a round allow less' : '';
  return `  - { resource: ${resource}, max: ${budgetFor(measure)} } # now ${now}${why}`;
}

/** The usual budget, if this run could tell growth from it. Where it could not, the least that a run of this length can. */
function budgetFor({ resource, growth, decision, unit }: GateMeasure): string {
  const usual = GATE_RULES.budgets[resource];
  if (decision !== 'undecided' || growth === null) return String(usual);
  const least = nextInterval(growth);
  if (least <= usual) return String(usual);
  return unit === 'bytes' && least >= 1024 ? `${roundedUp(least / 1024)}Ki` : String(roundedUp(least));
}

/** To two digits. */
function roundedUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / unit) * unit).toPrecision(2));
}
