/**
 * A plan file: sealed with a hash, and read back. It may have been edited, cut or made up: size, depth, aliases and every
 * field are bounded, and the hash must be that of the content.
 */
import * as v from 'valibot';
import { parseDocument } from 'yaml';
import { decodeText, encodeText } from '../../base/text.ts';
import { oneLine } from '../../base/text-layout.ts';
import { shortened, visible } from '../../base/visible-text.ts';
import { PLAN } from './plan-schema.ts';
import type { Plan } from './plan.ts';
import type { PlanStep } from './plan-step.ts';
import { Failure } from '../../base/errors.ts';

export const MAX_PLAN_BYTES: number = 8 * 1024 * 1024;

/** All steps in the order of the work; the nodes of a wave go on side by side. */
export function stepsOf({ before, waves, after }: Plan): PlanStep[] {
  return [...before, ...waves.flatMap(({ nodes }) => nodes.flatMap(({ steps }) => steps)), ...after];
}

/** Throws a Failure that names the file, the field and what to do. */
export function readPlan(bytes: Uint8Array, path: string, sha256: Sha256): Plan {
  const name = visible(path);
  if (bytes.length > MAX_PLAN_BYTES) throw new Failure('too-large', `${name}: larger than 8 MiB, so not a plan`);
  return checkPlan(contentOf(decodeText(bytes), name), name, sha256);
}

/** The same for a plan that is parsed already, such as one from a store. */
export function checkPlan(value: unknown, name: string, sha256: Sha256): Plan {
  const { schema } = (value ?? {}) as { readonly schema?: unknown };
  if (schema !== 'oakum.plan/v1') throw new Failure('unreadable', `${name}: not a plan; write one with oakum plan`);
  const read = v.safeParse(PLAN, value, { abortPipeEarly: true });
  if (!read.success)
    throw new Failure('unreadable', `${name}: ${problemsIn(read.issues)}; write a new plan with oakum plan`);
  const plan: Plan = read.output;
  checkHash(plan, name, sha256);
  checkSteps(plan, name);
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

function checkHash(plan: Plan, name: string, sha256: Sha256): void {
  if (planHash(plan, sha256) === plan.hash) return;
  throw new Failure(
    'plan-refused',
    `${name}: the plan was changed after it was written (its hash does not fit); write a new one with oakum plan`,
  );
}

/** A file with a hash that fits is ours, or made with care: what apply relies on is checked all the same. */
function checkSteps(plan: Plan, name: string): void {
  const refuse = (what: string): never => {
    throw new Failure('unreadable', `${name}: ${visible(what)}; write a new plan with oakum plan`);
  };
  const ids = new Set<string>();
  for (const { id } of stepsOf(plan)) {
    if (ids.has(id)) refuse(`the step ${id} is there twice`);
    ids.add(id);
  }
  const nodes = new Set<string>();
  for (const { node, steps } of plan.waves.flatMap(wave => wave.nodes)) {
    if (nodes.has(node)) refuse(`${node} is there twice`);
    nodes.add(node);
    const stray = steps.find(step => step.node !== node);
    if (stray !== undefined) refuse(`the step ${stray.id} is not about ${node}`);
  }
}

/**
 * The id and the hash of a plan. Both come from its content in canonical JSON: keys sorted, no spaces. So the order of
 * keys and the layout of the YAML file do not matter, and every value does.
 */

/** The SHA-256 of the bytes in hex; what computes it differs between Node and a browser. */
export type Sha256 = (bytes: Uint8Array) => string;

export type UnsealedPlan = Omit<Plan, 'id' | 'hash'>;

/**
 * The plan with its id and hash. Steps carry the id in annotations and paths, so `content` is asked for it: the id is
 * hashed from the content with the id left empty.
 */
export function sealPlan(content: (id: string) => UnsealedPlan, sha256: Sha256): Plan {
  const draft = content('');
  const digest = sha256(encodeText(canonicalJson(draft)));
  const id = `plan-${draft.createdAt.slice(0, 19).replace(/[-:]/g, '').toLowerCase()}-${digest.slice(0, 8)}`;
  const { schema, ...rest } = content(id);
  const named = { schema, id, ...rest };
  // In the order in which people read it.
  return { schema, id, hash: hashOf(named, sha256), ...rest };
}

/** The hash that a plan should have. */
function planHash({ hash: _, ...content }: Plan, sha256: Sha256): string {
  return hashOf(content, sha256);
}

function hashOf(content: Omit<Plan, 'hash'>, sha256: Sha256): string {
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
