import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AnalysisInput } from '../../src/judge/analysis.ts';
import { firstAndLast } from './analysis-page.tsx';

const input = (path: string, kind: string, target: string, takenAt: string | null): AnalysisInput =>
  ({ path, kind, target, takenAt, error: null }) as unknown as AnalysisInput;

it('links the earliest with the latest profile of a kind and process', () => {
  const inputs = [
    input('b', 'heap', 'worker-1', '2026-11-15T20:10:00Z'),
    input('a', 'heap', 'worker-1', '2026-11-15T20:00:00Z'),
    input('other', 'heap', 'worker-2', '2026-11-15T19:00:00Z'),
    input('g', 'goroutine', 'worker-1', '2026-11-15T20:00:00Z'),
    input('m', 'metrics', 'worker-1', null),
  ];
  const keys = new Map(inputs.map(({ path }) => [path, `local-${path}`]));
  assert.deepEqual(firstAndLast(inputs, keys), [{ kind: 'heap', url: '/compare?a=local-a&b=local-b' }]);
  assert.deepEqual(firstAndLast(inputs, new Map()), [], 'files in an archive cannot be opened one by one');
});
