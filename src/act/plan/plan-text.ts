/** A plan for a person who is about to say yes or no, and what became of it. */
import { formatAge } from '../../base/say.ts';
import { wrap } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type { NodePlan, Plan } from './plan.ts';
import type { StepCall } from './plan-step.ts';
import { rightKey, type Role } from './rights.ts';
import { stringify } from 'yaml';
import type { PlanRecord } from '../../store/plan-log.ts';
import { prose } from '../../report/markdown.ts';
import { jsonLine, renderYaml } from '../../report/json.ts';
import { stepsOf } from './plan-file.ts';
import type { NodeVerification, PlanVerification } from '../plan-verification.ts';

export function planText(plan: Plan, width: number): string {
  const { policy } = plan;
  const missing = plan.rights.filter(({ isAllowed }) => isAllowed === false);
  const lines = [
    plan.sentence,
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
    `Budget: ${policy.maxConcurrent} at a time, ${policy.maxPerHour} an hour; stops at ${policy.maxNotReadyPercent} % not Ready${policy.stopAtFirstFailure ? ' and at the first failure' : ''}.`,
    ...plan.warnings.flatMap(line => bullet('!', line, width)),
    ...(missing.length === 0
      ? []
      : bullet('!', `you may not: ${missing.map(rightKey).join(', ')}; see oakum access --for act`, width)),
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

/** The exact call, in short. */
function callLines(call: StepCall): string[] {
  switch (call.kind) {
    case 'request':
      return [`${call.method} ${call.path}${call.body === null ? '' : ` ${jsonLine(call.body)}`}`];
    case 'command':
      return [call.argv.map(quoted).join(' ')];
    case 'print':
      return [...call.commands];
    case 'pod':
      return [`POST ${call.path}`];
    case 'drain':
      return call.pods.flatMap(({ namespace, name, act, note, dryRun }) =>
        act === 'leave'
          ? [`leave ${namespace}/${name}: ${note}`]
          : [
              `evict ${namespace}/${name}${dryRun === 'refused' ? ' (refused now)' : ''}${note === '' ? '' : `: ${note}`}`,
            ],
      );
    default:
      return [];
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function bullet(mark: string, text: string, width: number): string[] {
  const indent = ' '.repeat(mark.length + 1);
  return wrap(visible(text), Math.max(20, width - indent.length)).map(
    (line, index) => `${index === 0 ? `${mark} ` : indent}${line}`,
  );
}

/** A plan as the file that people review. */
export function planYaml(plan: Plan): string {
  const head = [
    '# Written by oakum plan. Nothing has been done yet.',
    '# Review it, then:  oakum apply -f THIS-FILE',
    '# Do not edit it: the hash covers every value, and apply refuses a plan that was changed.',
  ];
  return `${head.join('\n')}\n${renderYaml(plan)}`;
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

/** What an apply is about to do. */
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

interface UndoneLine {
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
