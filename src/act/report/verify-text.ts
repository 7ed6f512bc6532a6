/** What `oakum verify` found, for people. */
import { visible } from '../../base/visible-text.ts';
import type { NodeVerification, PlanVerification } from '../verify/plan-verification.ts';

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
