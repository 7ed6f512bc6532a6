/** What an apply or an abort is about to do, and what became of it. */
import { visible } from '../../base/visible-text.ts';
import type { Plan } from '../plan/plan.ts';
import { stepsOf } from '../plan/read-plan.ts';
import type { NodeVerification, PlanVerification } from '../verify/plan-verification.ts';

export interface StepPreview {
  readonly step: string;
  /** Why it would not be done now; undefined if it would. */
  readonly why: string | undefined;
  /** By an earlier run. */
  readonly isDone: boolean;
}

export function previewText(plan: Plan, previews: readonly StepPreview[]): string {
  const steps = stepsOf(plan);
  const lines = steps.map(({ id, sentence, isFinal }, index) => {
    const preview = previews.find(({ step }) => step === id);
    const mark = preview?.isDone === true ? 'done ' : preview?.why === undefined ? '     ' : 'STOP ';
    const why = preview?.why === undefined ? '' : `: ${preview.why}`;
    return `${String(index + 1).padStart(3)}  ${mark}${sentence}${isFinal ? ' (final)' : ''}${why}`;
  });
  return `${plan.id}: ${plan.sentence}\n${lines.join('\n')}\n`.split('\n').map(visible).join('\n');
}

export interface UndoneLine {
  readonly step: string;
  readonly outcome: 'undone' | 'nothing-to-undo' | 'cannot' | 'failed';
  readonly detail: string;
}

const OUTCOMES: Readonly<Record<UndoneLine['outcome'], string>> = {
  undone: 'undone',
  'nothing-to-undo': 'nothing to undo',
  cannot: 'CANNOT BE UNDONE',
  failed: 'NOT UNDONE',
};

export function undoneText(lines: readonly UndoneLine[]): string {
  return lines.map(({ step, outcome, detail }) => visible(`${step}: ${OUTCOMES[outcome]}: ${detail}`) + '\n').join('');
}

/** What `oakum verify` found, for people. */
const MARKS = { good: 'ok ', bad: 'BAD', unknown: ' ? ' } as const;

export function verifyText({ planId, at, nodes }: PlanVerification): string {
  const head = `${planId}, verified ${at.slice(0, 16).replace('T', ' ')} UTC`;
  return `${[head, ...nodes.flatMap(nodeLines)].map(visible).join('\n')}\n`;
}

function nodeLines({ node, outcome, checks }: NodeVerification): string[] {
  return [
    '',
    `${outcome.toUpperCase()}  ${node}`,
    ...checks.map(({ state, name, text }) => `  ${MARKS[state]} ${name.padEnd(10)}  ${text}`),
  ];
}
