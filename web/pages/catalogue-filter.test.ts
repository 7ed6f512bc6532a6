import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bundledCatalogue } from './catalogue-bundled.ts';
import { componentsOf, filterLeaks, gradeText, referenceText } from './catalogue-filter.ts';

const { leaks } = bundledCatalogue();
const NO_FILTER = { text: '', component: '', onlyHere: false };

it('the bundled catalogue has every known leak, with what a reader needs', () => {
  assert.ok(leaks.length > 50);
  assert.equal(new Set(leaks.map(({ id }) => id)).size, leaks.length);
  for (const leak of leaks) assert.ok(leak.summary !== '' && leak.references.length > 0, leak.id);
});

it('every word must be somewhere in an entry', () => {
  const find = (text: string): string[] => filterLeaks(leaks, { ...NO_FILTER, text }).map(({ id }) => id);
  assert.equal(find('').length, leaks.length);
  assert.ok(find('#139823').length >= 1);
  assert.deepEqual(find('KUBELET   139823'), find('139823 kubelet'));
  assert.deepEqual(find('139823 nonsense'), []);
});

it('filters by component and by what is seen here, which comes first', () => {
  const [[largest, count]] = componentsOf(leaks);
  assert.equal(filterLeaks(leaks, { ...NO_FILTER, component: largest }).length, count);
  assert.deepEqual(filterLeaks(leaks, { ...NO_FILTER, onlyHere: true }), []);
  const seen = leaks.map((leak, i) => (i === 7 ? { ...leak, targets: ['node/a'] } : leak));
  assert.equal(filterLeaks(seen, NO_FILTER)[0].id, leaks[7].id);
  assert.equal(filterLeaks(seen, { ...NO_FILTER, onlyHere: true }).length, 1);
});

it('writes references and grades as people say them', () => {
  assert.equal(referenceText('https://github.com/kubernetes/kubernetes/issues/139823'), 'kubernetes#139823');
  assert.equal(referenceText('kcp#3350'), 'kcp#3350');
  assert.equal(referenceText('https://bugzilla.redhat.com/show_bug.cgi?id=1'), 'bugzilla.redhat.com/show_bug.cgi?id=1');
  assert.equal(gradeText('seen'), 'stacks seen in dumps');
  assert.equal(gradeText('other'), 'other');
});
