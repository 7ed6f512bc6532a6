/**
 * The id and the hash of a plan. Both come from its content in canonical JSON: keys sorted, no spaces. So the order of
 * keys and the layout of the YAML file do not matter, and every value does.
 */
import { encodeText } from '../../base/text.ts';
import type { Plan } from './plan.ts';

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
export function planHash({ hash: _, ...content }: Plan, sha256: Sha256): string {
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
