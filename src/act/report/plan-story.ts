/** What a plan did, for the report of an incident: who, when, step by step, and whether it helped. */
import type { PlanRecord } from '../../store/plan-log.ts';
import type { Plan } from '../plan/plan.ts';
import { prose } from '../../report/markdown-escape.ts';

export function planStory(plan: Plan, records: readonly PlanRecord[]): string {
  const [first] = records;
  const lines = [
    '',
    '## What was done',
    '',
    `${prose(plan.sentence)} Plan ${plan.id}${first === undefined ? ', not applied' : `, applied by ${prose(first.actor)}`}.`,
    '',
    ...records.flatMap(recordLine),
  ];
  const answers = new Map(records.flatMap(one => (one.kind === 'verified' ? [[one.node, one] as const] : [])));
  if (answers.size > 0) lines.push('', '## Whether it helped', '');
  for (const { node, outcome, detail, at } of answers.values())
    lines.push(`- **${prose(node)}: ${outcome}** (${clock(at)}). ${prose(detail)}`);
  return `${lines.join('\n')}\n`;
}

function recordLine(record: PlanRecord): string[] {
  const say = (text: string): string[] => [`- ${clock(record.at)} ${prose(text)}`];
  switch (record.kind) {
    case 'step-ended':
      return say(`${record.step}: ${record.outcome}${record.detail === '' ? '' : `, ${record.detail}`}`);
    case 'undone':
      return say(`${record.step}: ${record.outcome}, ${record.detail}`);
    case 'stopped':
      return say(`stopped (${record.why}): ${record.detail}`);
    case 'apply-began':
      return record.isResumed ? say('resumed') : [];
    case 'apply-ended':
      return say(record.outcome);
    default:
      return [];
  }
}

function clock(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}
