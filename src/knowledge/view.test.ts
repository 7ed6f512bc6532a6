import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BUNDLED_LEAKS } from './bundled.ts';
import { refOf, refUrl } from './refs.ts';
import { viewOfLeaks } from './view.ts';

const known = BUNDLED_LEAKS.filter(({ status }) => status === 'confirmed').length;
const reports = `; ${BUNDLED_LEAKS.length - known} reports are unconfirmed`;

it('has every entry with what a reader needs, unconfirmed reports last and counted apart', () => {
  const { sentence, leaks } = viewOfLeaks(BUNDLED_LEAKS);
  assert.equal(sentence, `${known} known leaks${reports}.`);
  assert.equal(new Set(leaks.map(({ id }) => id)).size, BUNDLED_LEAKS.length);
  for (const { id, summary, affected, references } of leaks) {
    assert.ok(summary !== '' && affected !== '' && references.length > 0, id);
    for (const url of references) assert.match(url, /^https:\/\//, id);
  }
  assert.deepEqual(
    leaks.map(({ grade }) => grade === 'unconfirmed'),
    BUNDLED_LEAKS.map((_, index) => index >= known),
  );
});

it('says whether there are stacks to tell it by, and whether anybody saw them', () => {
  const { leaks } = viewOfLeaks(BUNDLED_LEAKS);
  const gradeOf = (id: string): string | undefined => leaks.find(leak => leak.id === id)?.grade;
  assert.equal(gradeOf('apimachinery-wait-poller'), 'seen');
  assert.equal(gradeOf('apiserver-kms-connection'), 'from-fix');
  assert.equal(gradeOf('apiserver-crd-finalizer-shutdown'), 'no-stacks');
  assert.equal(gradeOf('kubelet-evented-pleg'), 'unconfirmed');
});

it('names the targets of any of its references once, and says how many entries match', () => {
  const [first, second] = BUNDLED_LEAKS.filter(({ refs }) => refs.length > 1);
  const ofFirst = viewOfLeaks(BUNDLED_LEAKS, ref => (first.refs.includes(ref) ? ['node/b', 'node/a'] : undefined));
  assert.equal(ofFirst.sentence, `${known} known leaks, 1 matches this fleet${reports}.`);
  const entry = ofFirst.leaks.find(({ id }) => id === first.id);
  assert.deepEqual([entry?.targets, entry?.targetCount], [['node/a', 'node/b'], 2]);
  const many = viewOfLeaks([first], () => Array.from({ length: 5000 }, (_, i) => `node/${i}`));
  assert.deepEqual([many.leaks[0].targets.length, many.leaks[0].targetCount], [100, 5000]);
  const both = new Set([first.refs[0], second.refs[0]]);
  const ofBoth = viewOfLeaks([first, second], ref => (both.has(ref) ? ['node/a'] : []));
  assert.equal(ofBoth.sentence, '2 known leaks, 2 match this fleet.');
  assert.equal(viewOfLeaks([first], () => []).sentence, '1 known leak, none matches this fleet.');
});

it('names a reference by its address as the catalogue does', () => {
  for (const ref of BUNDLED_LEAKS.flatMap(({ refs }) => refs)) assert.equal(refOf(refUrl(ref) ?? ''), ref);
  assert.equal(refOf('https://github.com/kubernetes/kubernetes/pull/139823'), 'kubernetes#139823');
  assert.equal(refOf('https://example.com/kubernetes/kubernetes/pull/1'), undefined);
});
