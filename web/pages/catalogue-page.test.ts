import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { viewOfLeaks } from '../../src/knowledge/view.ts';
import { componentsOf, filterLeaks, gradeText, referenceText } from './catalogue-page.tsx';

const { leaks } = viewOfLeaks(BUNDLED_LEAKS);
const NO_FILTER = { text: '', component: '', onlyHere: false };

it('finds entries that contain every word', () => {
  const find = (text: string): string[] => filterLeaks(leaks, { ...NO_FILTER, text }).map(({ id }) => id);
  assert.equal(find('').length, leaks.length);
  assert.ok(find('#139823').length >= 1);
  assert.deepEqual(find('kubernetes#139823'), find('kubernetes/issues/139823'), 'by name and by address');
  assert.equal(find('unconfirmed').length, leaks.filter(({ grade }) => grade === 'unconfirmed').length);
  assert.deepEqual(find('KUBELET   139823'), find('139823 kubelet'));
  assert.deepEqual(find('139823 nonsense'), []);
});

it('filters by component and by this fleet, and lists matches in this fleet first', () => {
  for (const [component, count] of componentsOf(leaks)) {
    assert.equal(filterLeaks(leaks, { ...NO_FILTER, component }).length, count);
  }
  assert.deepEqual(filterLeaks(leaks, { ...NO_FILTER, onlyHere: true }), []);
  const seen = leaks.map((leak, i) => (i === 7 ? { ...leak, targets: ['node/a'], targetCount: 1 } : leak));
  assert.equal(filterLeaks(seen, NO_FILTER)[0]?.id, leaks[7]?.id);
  assert.equal(filterLeaks(seen, { ...NO_FILTER, onlyHere: true }).length, 1);
});

it('shortens references and explains grades', () => {
  assert.equal(referenceText('https://github.com/kubernetes/kubernetes/issues/139823'), 'kubernetes#139823');
  assert.equal(referenceText('kcp#3350'), 'kcp#3350');
  assert.equal(referenceText('https://bugzilla.redhat.com/show_bug.cgi?id=1'), 'rhbz#1');
  assert.equal(referenceText('https://example.com/a'), 'example.com/a');
  assert.equal(gradeText('seen'), 'stacks seen in dumps');
  assert.equal(gradeText('other'), 'other');
});
