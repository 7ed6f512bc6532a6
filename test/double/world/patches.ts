/** RFC 7386, and of strategic merge patches what conditions take. */
import { listOf, recordOf, type JsonRecord } from '../../../src/base/json.ts';

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = Array.isArray(target) ? {} : { ...recordOf(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

export function strategicConditions(target: JsonRecord, patch: JsonRecord): JsonRecord {
  const status = recordOf(target['status']);
  const conditions = listOf(status['conditions']).map(recordOf);
  const added = listOf(recordOf(patch['status'])['conditions']).map(recordOf);
  const kept = conditions.filter(({ type }) => !added.some(one => one['type'] === type));
  return { ...target, status: { ...status, conditions: [...kept, ...added] } };
}
