import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeCatalogues, readLeak } from './read-leak.ts';

const GOOD = `id: our-leak
title: Our operator keeps its watches
component: our-operator
refs: [example/our-operator#12]
resources: [goroutines]
signatures:
  - resource: goroutines
    evidence: seen
    frames: ['example.com/operator.(*Watcher).loop']
trigger: Every reconcile.
affected:
  - { from: 1.30, fixed: 2.0.0 }
`;
const VALID = GOOD.replace('1.30,', '1.30.0,');

const problems = (text: string, file = 'our-leak.yaml'): readonly string[] => readLeak(text, file).problems;

describe('readLeak', () => {
  it('reads an entry, with empty values for what is left out', () => {
    const { leak } = readLeak(VALID, 'folder/our-leak.yaml');
    assert.ok(leak);
    assert.equal(leak.status, 'confirmed');
    assert.deepEqual(leak.affected, [{ from: '1.30.0', fixed: '2.0.0' }]);
    assert.deepEqual(leak.signatures[0].states, []);
    assert.deepEqual([leak.fixedIn, leak.hazards, leak.notes], [[], [], '']);
  });

  it('keeps every scalar as text', () => {
    assert.equal(readLeak(`${VALID}notes: on\n`, 'our-leak.yaml').leak?.notes, 'on');
    assert.equal(readLeak(`${VALID}notes: 1.30\n`, 'our-leak.yaml').leak?.notes, '1.30');
  });

  for (const [what, text, expected] of [
    [
      'a version without patch',
      GOOD,
      'our-leak.yaml: affected[0].from: must be a version such as 1.36.3, or "", not "1.30"',
    ],
    ['a missing field', VALID.replace(/title.*\n/, ''), 'our-leak.yaml: title: is needed'],
    ['an empty list', VALID.replace('[goroutines]', '[]'), 'our-leak.yaml: resources: is needed'],
    [
      'a wrong choice',
      VALID.replace('evidence: seen', 'evidence: guess'),
      'our-leak.yaml: signatures[0].evidence: must be seen or from-fix, not "guess"',
    ],
    [
      'no choice',
      VALID.replace('    evidence: seen\n', ''),
      'our-leak.yaml: signatures[0].evidence: is needed, seen or from-fix',
    ],
    ['a wrong type', VALID.replace('title: Our', 'title: [Our]\nx: Our'), 'our-leak.yaml: title: must be text'],
    ['text for a list', VALID.replace('[goroutines]', 'goroutines'), 'our-leak.yaml: resources: must be a list'],
    [
      'a mapping in a list of texts',
      VALID.replace('[example/our-operator#12]', '[{ a: b }]'),
      'our-leak.yaml: refs[0]: must be text',
    ],
    [
      'a list of something else',
      VALID.replace(/signatures:[^]*trigger/, 'signatures: [x]\ntrigger'),
      'our-leak.yaml: signatures[0]: must be a mapping of fields to values',
    ],
    [
      'another id than the name',
      VALID.replace('id: our-leak', 'id: my-leak'),
      "our-leak.yaml: id: must be the file's name, our-leak",
    ],
    [
      'an id that is no id',
      VALID.replace('id: our-leak', 'id: Our_Leak'),
      'our-leak.yaml: id: must be words in lower case with dashes, not "Our_Leak"',
    ],
    ['two lines', `${VALID}notes: |\n  one\n  two\n`, 'our-leak.yaml: notes: must be one line'],
    ['a list at the top', '- a\n', 'our-leak.yaml: must be a mapping of fields to values'],
    ['nothing', '', 'our-leak.yaml: must be a mapping of fields to values'],
  ]) {
    it(`names file and field: ${what}`, () => assert.equal(problems(text)[0], expected));
  }

  it('says what fields there are when one is mistyped', () => {
    assert.match(
      problems(`${VALID}workround: x\n`)[0],
      /^our-leak\.yaml: workround: is not a field; there are id, title/,
    );
    assert.match(problems(VALID.replace('frames:', 'frame:')).join('\n'), /signatures\[0\]\.frame: is not a field/);
  });

  it('reports every problem at once, a line each', () => {
    const all = problems(VALID.replace(/title.*\n/, '').replace(/trigger.*\n/, ''));
    assert.equal(all.length, 2);
    assert.ok(all.every(line => !line.includes('\n')));
  });

  it('survives broken and hostile YAML', () => {
    assert.match(problems('id: [\n')[0], /^our-leak\.yaml: line \d+: /);
    assert.match(problems(`${VALID}id: again\n`)[0], /^our-leak\.yaml: line \d+: /);
    const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nid: *c\n`;
    assert.ok(problems(bomb).length > 0);
    assert.match(problems('x'.repeat(300_000))[0], /larger than/);
    assert.ok(problems('__proto__: { id: x }\n').length > 0);
    assert.equal(({} as { id?: string }).id, undefined);
  });
});

it('a site overrides by id and adds the rest', () => {
  const [a, b] = ['our-leak', 'other-leak'].map(id => {
    const { leak } = readLeak(VALID.replace('our-leak', id), `${id}.yaml`);
    assert.ok(leak);
    return leak;
  });
  const changed = { ...a, title: 'Ours' };
  const merged = mergeCatalogues([a], [changed, b]);
  assert.deepEqual(merged.leaks, [changed, b]);
  assert.deepEqual(merged.overridden, ['our-leak']);
});
