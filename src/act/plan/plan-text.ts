/** A plan for a person who is about to say yes or no, and what became of it. */
import { formatAge } from '../../base/say.ts';
import { wrap } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type { NodePlan, Plan, PlanPolicy } from './plan.ts';
import { callLines } from './call-text.ts';
import { rightKey, type Role } from './rights.ts';
import { stringify } from 'yaml';
import type { PlanRecord } from '../../store/plan-log.ts';
import { prose } from '../../report/markdown.ts';
import { type DerivedPlan, stepsOf } from './derive-plan.ts';
import type { NodeVerification, PlanVerification } from '../plan-verification.ts';

export function planText(plan: DerivedPlan, width: number): string {
  const { policy } = plan;
  const lines = [
    plan.sentence,
    `Cluster ${plan.cluster.context} at ${plan.cluster.address}; planned by ${plan.author}.`,
    ...plan.first.flatMap(line => bullet('!', line, width)),
    '',
    ...plan.why.flatMap(({ node, verdict, sentence, forcedBecause }) => [
      ...bullet('-', `${node}: ${verdict}. ${sentence}`, width),
      ...(forcedBecause === null ? [] : bullet(' ', `forced, because: ${forcedBecause}`, width)),
    ]),
    ...plan.leftOut.flatMap(({ node, why }) => bullet('-', `${node} is left out: ${why}`, width)),
    '',
    ...plan.waves.flatMap(({ nodes, isCanary, thenWaitSeconds }) => [
      ...nodes.flatMap(node => nodeLines(node, isCanary, width)),
      ...(thenWaitSeconds > 0 ? [`then wait ${formatAge(thenWaitSeconds)} before the next node`] : []),
    ]),
    '',
    `Budget: ${budgetText(policy)}.`,
    ...plan.warnings.flatMap(line => bullet('!', line, width)),
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

function nodeLines(
  { node, steps, expected, zone, verification }: NodePlan,
  isCanary: boolean,
  width: number,
): string[] {
  const place = [zone === null ? '' : `zone ${zone}`, isCanary ? 'canary' : ''].filter(text => text !== '').join(', ');
  return [
    `${node}${place === '' ? '' : ` (${place})`}`,
    ...steps.flatMap(({ sentence, isFinal, call }) => [
      ...bullet('  -', `${sentence}${isFinal ? '; final' : ''}`, width),
      ...callLines(call).map(line => `      ${line}`),
    ]),
    ...bullet('  =', expected.sentence, width),
    ...expected.blinks.flatMap(line => bullet('  ~', line, width)),
    ...expected.blinkingPods.slice(0, MAX_PODS).map(pod => `      ${pod}`),
    ...(expected.blinkingPods.length > MAX_PODS ? [`      and ${expected.blinkingPods.length - MAX_PODS} more`] : []),
    ...(verification.decidedAfterHours === null
      ? []
      : [`  ? cleared or not is known ${formatAge(verification.decidedAfterHours * 3600)} after the restart`]),
  ];
}

const MAX_PODS = 10;

function bullet(mark: string, text: string, width: number): string[] {
  const indent = ' '.repeat(mark.length + 1);
  return wrap(visible(text), Math.max(20, width - indent.length)).map(
    (line, index) => `${index === 0 ? `${mark} ` : indent}${line}`,
  );
}

/** Roles as the YAML that `kubectl apply` takes. */
export function rolesYaml(roles: readonly Role[]): string {
  return roles.map(({ note, manifest }) => `# ${note}\n${stringify(manifest, { lineWidth: 0 })}`).join('---\n');
}

/** What a plan did, for the report of an incident: who, when, step by step, and whether it helped. */
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

interface StepPreview {
  readonly step: string;
  /** Why it would not be done now; undefined if it would. */
  readonly why: string | undefined;
  /** By an earlier run. */
  readonly isDone: boolean;
}

/** Where and as whom an apply would act. */
export interface PreviewPlace {
  readonly context: string;
  readonly address: string;
  readonly user: string;
}

/** What an apply is about to do: everything that it would send or run. Derived, whatever the file says. */
export function previewText(plan: Plan, previews: readonly StepPreview[], place: PreviewPlace): string {
  const { policy, createdAt, author } = plan;
  const steps = stepsOf(plan);
  const lines = steps.flatMap(({ id, sentence, isFinal, call }, index) => {
    const preview = previews.find(({ step }) => step === id);
    const mark = preview?.isDone === true ? 'done ' : preview?.why === undefined ? '     ' : 'STOP ';
    const why = preview?.why === undefined ? '' : `: ${preview.why}`;
    const head = `${String(index + 1).padStart(3)}  ${mark}${sentence}${isFinal ? ' (final)' : ''}${why}`;
    return [head, ...callLines(call).map(line => `            ${line}`)];
  });
  const head = [
    `${plan.id}: ${plan.sentence}`,
    `  cluster  ${place.context}, ${place.address}, ${plan.cluster.nodeCount} ${plan.cluster.nodeCount === 1 ? 'node' : 'nodes'} when it was planned`,
    `  as       ${place.user}`,
    `  planned  by ${author} at ${createdAt}`,
    `  budget   ${budgetText(policy)}`,
    `  lock     ${policy.lock.namespace}/${policy.lock.name}`,
    ...plan.why.flatMap(({ node, forcedBecause }) =>
      forcedBecause === null ? [] : [`  forced   ${node}, because: ${forcedBecause}`],
    ),
    '',
  ];
  const rights = ['', `Rights: ${plan.rights.map(rightKey).join(', ')}`];
  return `${[...head, ...lines, ...rights].map(visible).join('\n')}\n`;
}

function budgetText({ maxConcurrent, maxPerHour, maxNotReadyPercent }: PlanPolicy): string {
  return `${maxConcurrent} at a time, ${maxPerHour} an hour; stops at ${maxNotReadyPercent} % not Ready and at the first failure`;
}

interface UndoneLine {
  readonly step: string;
  readonly outcome: 'undone' | 'nothing-to-undo' | 'cannot' | 'failed' | 'kept';
  readonly detail: string;
}

const OUTCOMES: Readonly<Record<UndoneLine['outcome'], string>> = {
  undone: 'undone',
  'nothing-to-undo': 'nothing to undo',
  cannot: 'CANNOT BE UNDONE',
  failed: 'NOT UNDONE',
  kept: 'STAYS',
};

/** What became of an abort. */
export function undoneText(lines: readonly UndoneLine[]): string {
  return lines.map(({ step, outcome, detail }) => visible(`${step}: ${OUTCOMES[outcome]}: ${detail}`) + '\n').join('');
}

/** What `oakum verify` found, for people. */
const MARKS = { good: 'ok ', bad: 'BAD', unknown: ' ? ' } as const;

export function verifyText({ planId, at, nodes }: PlanVerification): string {
  const head = `${planId}, verified ${at.slice(0, 16).replace('T', ' ')} UTC`;
  return `${[head, ...nodes.flatMap(verifiedLines)].map(visible).join('\n')}\n`;
}

function verifiedLines({ node, outcome, checks }: NodeVerification): string[] {
  return [
    '',
    `${outcome.toUpperCase()}  ${node}`,
    ...checks.map(({ state, name, text }) => `  ${MARKS[state]} ${name.padEnd(10)}  ${text}`),
  ];
}
