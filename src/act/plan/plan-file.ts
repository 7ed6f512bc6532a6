/**
 * A plan file: sealed with a hash, and read back. It may have been edited, cut or made up: size, depth, aliases and every
 * field are bounded. The hash has no key, so it only finds mistakes; nothing of a file is done but what follows from its
 * intent, and it is refused if it shows the reader anything else.
 */
import * as v from 'valibot';
import { parseDocument } from 'yaml';
import { decodeText, encodeText } from '../../base/text.ts';
import { oneLine } from '../../base/text-layout.ts';
import { shortened, visible } from '../../base/visible-text.ts';
import { renderYaml } from '../../report/json.ts';
import { callLines } from './call-text.ts';
import { derivePlan, intentOf, stepsOf, type DerivedPlan } from './derive-plan.ts';
import { PLAN_FILE, type PlanFile } from './plan-schema.ts';
import { planText } from './plan-text.ts';
import type { Plan, PlanIntent } from './plan.ts';
import { Failure } from '../../base/errors.ts';

export const MAX_PLAN_BYTES: number = 8 * 1024 * 1024;

/** What a plan is read for. */
export type PlanReading =
  /** To do it: `template` is the command of whoever acts, null for the default of each distribution. */
  | { readonly to: 'act'; readonly oakumVersion: string; readonly template: string | null }
  /** To look at it, to verify it, or to undo it: none of its calls is made. */
  | { readonly to: 'look' };

/** Throws a Failure that names the file, the field and what to do. */
export function readPlan(bytes: Uint8Array, path: string, sha256: Sha256, reading: PlanReading): Plan {
  const name = visible(path);
  if (bytes.length > MAX_PLAN_BYTES) throw new Failure('too-large', `${name}: larger than 8 MiB, so not a plan`);
  return checkPlan(contentOf(decodeText(bytes), name), name, sha256, reading);
}

/** The same for a plan that is parsed already, such as one from a store. */
export function checkPlan(value: unknown, name: string, sha256: Sha256, reading: PlanReading): Plan {
  const { schema } = (value ?? {}) as { readonly schema?: unknown };
  if (schema !== 'oakum.plan/v1') throw new Failure('unreadable', `${name}: not a plan; write one with oakum plan`);
  const read = v.safeParse(PLAN_FILE, value, { abortPipeEarly: true });
  if (!read.success)
    throw new Failure('unreadable', `${name}: ${problemsIn(read.issues)}; write a new plan with oakum plan`);
  const { hash, ...content } = read.output;
  if (hashOf(content, sha256) !== hash)
    throw new Failure(
      'plan-refused',
      `${name}: the plan was changed after it was written (its hash does not fit); write a new one with oakum plan`,
    );
  const { callsHash, calls: _1, summary: _2, ...intent } = content;
  checkIntent(intent, name);
  const derived = derivePlan(intent, reading.to === 'act' ? reading.template : null);
  const plan = { ...derived, hash, callsHash: callsHashOf(derived, sha256) };
  if (reading.to === 'look') return { ...plan, callsHash };
  checkCalls(read.output, plan, name, reading);
  return plan;
}

function contentOf(text: string, name: string): unknown {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: true });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    const why = error instanceof RangeError ? 'nested too deeply' : shortened(oneLine((error as Error).message), 200);
    throw new Failure('unreadable', `${name}: not a plan: ${why}`, { cause: error });
  }
}

const MAX_PROBLEMS = 3;

function problemsIn(issues: readonly v.BaseIssue<unknown>[]): string {
  const shown = issues.slice(0, MAX_PROBLEMS).map(issue => {
    const place = v.getDotPath(issue) ?? 'the file';
    const isUnknown = issue.type === 'strict_object' && issue.expected === 'never';
    const isMissing = issue.received === 'undefined';
    const what = isUnknown
      ? 'is not a field of a plan'
      : isMissing
        ? 'is missing'
        : shortened(oneLine(issue.message), 120);
    return `${shortened(visible(place), 120)} ${what}`;
  });
  const more = issues.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** What a file with a hash that fits may still have, if it was made with care. */
function checkIntent({ nodes, why, via, action, drain }: PlanIntent, name: string): void {
  const refuse = (what: string): never => {
    throw new Failure('unreadable', `${name}: ${visible(what)}; write a new plan with oakum plan`);
  };
  const seen = new Set<string>();
  for (const { node, isReady, image } of nodes) {
    if (seen.has(node)) refuse(`${node} is there twice`);
    seen.add(node);
    const forced = why.find(reason => reason.node === node)?.forcedBecause ?? null;
    if (action === 'restart' && !isReady && forced === null)
      refuse(`${node} was not Ready, and nobody says why it is restarted all the same`);
    if ((image !== null) !== (via === 'pod')) refuse(`${node} has an image, or none, against the way of the restart`);
  }
  if ((via !== null) !== (action === 'restart')) refuse(`a plan to ${action} is not done by ${via ?? 'nothing'}`);
  if (drain === null && (action === 'drain' || action === 'replace')) refuse('it does not say how pods are evicted');
}

/** The calls that a reader saw are those that are made. */
function checkCalls(
  { calls, callsHash, summary, oakumVersion }: PlanFile,
  plan: Plan,
  name: string,
  reading: Extract<PlanReading, { to: 'act' }>,
): void {
  const own = listedCalls(plan);
  const at = own.findIndex((line, i) => line !== calls[i]);
  const index = at === -1 && calls.length > own.length ? own.length : at;
  const isSummary = summary === planText(plan, SUMMARY_WIDTH);
  if (index === -1 && plan.callsHash === callsHash && isSummary) return;
  const by =
    oakumVersion === reading.oakumVersion
      ? ''
      : ` It was written by Oakum ${oakumVersion}; this is ${reading.oakumVersion}.`;
  const what =
    index === -1 && plan.callsHash === callsHash
      ? 'its summary is not that of what would be done'
      : index === -1
        ? 'its calls are as the file says, but not their conditions or their order'
        : `the file says ${quotedCall(calls[index])}, and what would be done is ${quotedCall(own[index])}`;
  const command =
    plan.via === 'command' && reading.template === null
      ? ' With --command, give apply the one that it was planned with.'
      : '';
  throw new Failure(
    'plan-refused',
    `${name}: ${what}.${by}${command} Nothing was done; write a new plan with oakum plan`,
  );
}

function quotedCall(line: string | undefined): string {
  return line === undefined ? 'nothing more' : `"${shortened(visible(line), 300)}"`;
}

/**
 * The id and the hashes of a plan. They come from its content in canonical JSON: keys sorted, no spaces. So the order of
 * keys and the layout of the YAML file do not matter, and every value does.
 */

/** The SHA-256 of the bytes in hex; what computes it differs between Node and a browser. */
export type Sha256 = (bytes: Uint8Array) => string;

/** Derives the plan and gives it its id and hashes. Steps carry the id, so it comes from the intent. */
export function sealPlan(intent: Omit<PlanIntent, 'id'>, template: string | null, sha256: Sha256): Plan {
  const digest = sha256(encodeText(canonicalJson(intent)));
  const id = `plan-${intent.createdAt.slice(0, 19).replace(/[-:]/g, '').toLowerCase()}-${digest.slice(0, 8)}`;
  return sealAs({ ...intent, id }, template, sha256);
}

export function sealAs(intent: PlanIntent, template: string | null, sha256: Sha256): Plan {
  const derived = derivePlan(intent, template);
  const callsHash = callsHashOf(derived, sha256);
  const { hash: _, ...content } = planFile({ ...derived, callsHash, hash: '' });
  return { ...derived, callsHash, hash: hashOf(content, sha256) };
}

const SUMMARY_WIDTH = 100;

/** The plan as its file has it, in the order in which people read it. */
export function planFile(plan: Plan): PlanFile {
  const { hash, callsHash } = plan;
  const { schema, id, ...intent } = intentOf(plan);
  return { schema, id, hash, summary: planText(plan, SUMMARY_WIDTH), ...intent, calls: listedCalls(plan), callsHash };
}

/** A plan as the file that people review. */
export function planYaml(plan: Plan): string {
  return fileYaml(planFile(plan));
}

/** As it is, such as from a store. */
export function fileYaml(file: object): string {
  const head = [
    '# Written by oakum plan. Nothing has been done yet.',
    '# Review it, then:  oakum apply -f THIS-FILE',
    '# Do not edit it: apply derives the summary and the calls again, and refuses a file that says anything else.',
  ];
  return `${head.join('\n')}\n${renderYaml(file)}`;
}

function listedCalls(plan: DerivedPlan): string[] {
  return stepsOf(plan).flatMap(({ id, call }) => callLines(call).map(line => `${id}: ${line}`));
}

function callsHashOf({ before, waves, after }: DerivedPlan, sha256: Sha256): string {
  const order = waves.map(({ thenWaitSeconds, nodes }) => ({
    thenWaitSeconds,
    nodes: nodes.map(({ steps }) => steps),
  }));
  return hashOf({ before, order, after }, sha256);
}

function hashOf(content: unknown, sha256: Sha256): string {
  return `sha256:${sha256(encodeText(canonicalJson(content)))}`;
}

/** JSON with sorted keys; a field that is undefined counts as absent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? sorted(one) : one,
  );
}

function sorted(record: object): object {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
