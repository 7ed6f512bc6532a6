import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownLeak, Signature } from './known-leak.ts';
import { BUNDLED_LEAKS } from './bundled.ts';
import { lintCatalogue } from './lint.ts';
import { affectedVersion, stackOf } from './lint-signatures.ts';
import { matchFamily } from './match.ts';

const lint = (...leaks: KnownLeak[]): string[] =>
  lintCatalogue(leaks).map(({ id, field, problem }) => `${id}: ${field}: ${problem}`);

function bundled(id: string): KnownLeak {
  const leak = BUNDLED_LEAKS.find(one => one.id === id);
  assert.ok(leak, id);
  return leak;
}

const context = bundled('kubelet-startpodsync-context');
const withSignature = (change: Partial<Signature>): KnownLeak => ({
  ...context,
  signatures: [{ ...context.signatures[0], ...change }],
});

it('finds nothing in the bundled catalogue', () => assert.deepEqual(lint(...BUNDLED_LEAKS), []));

describe('lint finds', () => {
  for (const [what, leak, expected] of [
    [
      'a reference of no known place',
      { ...context, refs: ['k8s-139823'] },
      /refs\[0\]: "k8s-139823" is not NAME#NUMBER/,
    ],
    ['a reference twice', { ...context, refs: ['kcp#1', 'kcp#1'] }, /refs\[1\]: kcp#1 stands twice/],
    [
      'a fix before its leak',
      { ...context, affected: [{ from: '1.36.3', fixed: '1.36.0' }] },
      /affected\[0\]: is fixed in v1\.36\.0, not after/,
    ],
    [
      'ranges that overlap',
      {
        ...context,
        affected: [
          { from: '', fixed: '1.36.3' },
          { from: '1.36.0', fixed: '1.37.0' },
        ],
      },
      /affected\[1\]: overlaps/,
    ],
    ['a range end that is not named', { ...context, fixedIn: ['1.37.0'] }, /fixedIn: lacks v1\.36\.3/],
    [
      'a fixed version that is affected',
      { ...context, fixedIn: ['1.36.2', '1.36.3', '1.37.0'] },
      /fixedIn\[0\]: 1\.36\.2 is affected/,
    ],
    [
      'a fixed version that is none',
      { ...context, fixedIn: ['1.36', '1.36.3', '1.37.0'] },
      /fixedIn\[0\]: "1\.36" is not a version/,
    ],
    ['no signature and no word about it', { ...context, signatures: [], notes: '' }, /notes: must say why/],
    [
      'a resource that is not listed',
      withSignature({ resource: 'goroutines' }),
      /signatures\[0\]: is for goroutines, not in resources/,
    ],
    ['frames without package', withSignature({ frames: ['(*podWorkers).startPodSync'] }), /names no package/],
    [
      'frames that are not normalised',
      withSignature({ frames: ['k8s.io/a/vendor/b.C', 'd.E.func1'] }),
      /"k8s\.io\/a\/vendor\/b\.C" is not normalised/,
    ],
    [
      'frames that match anything in between',
      withSignature({ frames: ['example.com/between.Call', 'example.com/between.Call'] }),
      /matches without/,
    ],
  ] as const) {
    it(what, () => assert.match(lint(leak as KnownLeak).join('\n'), expected));
  }

  it('two entries with one signature, until notes tell them apart', () => {
    const twin = { ...context, id: 'twin' };
    assert.match(lint(context, twin).join('\n'), /identical with one of twin/);
    const told = [
      { ...context, notes: 'Not twin, which is older.' },
      { ...twin, notes: `Not ${context.id}, which is newer.` },
    ];
    assert.deepEqual(lint(...told), []);
  });

  it('an entry that another entry confirms', () => {
    const loose = { ...withSignature({ frames: ['context.withCancel'] }), id: 'loose' };
    assert.match(lint(context, loose).join('\n'), /a stack made from it confirms loose too/);
  });

  it('an id that stands twice', () => assert.match(lint(context, context).join('\n'), /id: stands twice/));
});

it('no confirmed entry is confirmed in a version that has the fix, or on a stack that stands still', () => {
  let confirmed = 0;
  for (const leak of BUNDLED_LEAKS.filter(one => one.status === 'confirmed')) {
    for (const signature of leak.signatures) {
      const facts = { component: leak.component, version: affectedVersion(leak) };
      const grade = (version: string, grows: boolean): string | undefined =>
        matchFamily({ ...stackOf(signature), grows }, { ...facts, version }, [leak])[0]?.grade;
      if (grade(facts.version, true) === 'confirmed') confirmed++;
      assert.notEqual(grade(facts.version, false), 'confirmed', leak.id);
      for (const version of leak.fixedIn) assert.notEqual(grade(version, true), 'confirmed', `${leak.id} ${version}`);
    }
  }
  assert.ok(confirmed > 20, `${confirmed} signatures can confirm`);
});
