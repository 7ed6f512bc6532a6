import assert from 'node:assert/strict';
import { it } from 'node:test';
import { panelsOf } from './panels.ts';
import { rangeMeans } from './selection-bar.tsx';

it('compares a range with the one before it', () => {
  const panels = panelsOf([
    { metric: 'go_goroutines', unit: 'count', times: [0, 10, 20, 30, 40], values: [1, 3, 10, 20, 100] },
    { metric: 'process_open_fds', unit: 'count', times: [25], values: [7] },
  ]);
  assert.deepEqual(rangeMeans(panels, [20, 40]), [
    { label: 'goroutines', unit: 'count', before: 2, mean: 15 },
    { label: 'file descriptors', unit: 'count', before: null, mean: 7 },
  ]);
});
