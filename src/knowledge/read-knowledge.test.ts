import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readKnowledge } from './read-knowledge.ts';

const CAUSES = `order: [ours]
snippets:
  metrics: grep -E '{}'
  fds: { metrics: ^process_open_fds }
`;
const OURS = `snippets:
  again: Do it again.
causes:
  - id: our-cause
    title: Ours
    kind: goroutine
    signs:
      - any: &loop [a/b.(*T).run]
        states: [chan receive]
      - all: *loop
        waitMinutes: 3
    meaning: It means
      something.
    check:
      - metrics: ^(a|b)
      - fds:
      - df -h
    act:
      - again:
    isTiedToPods: true
`;
const LIFETIMES = `lifetimes:
  - of: a loop of ours
    kind: goroutine
    signs: [{ any: [a/b.(*T).run] }]
    endsBy: T.Close
`;
const OWNERS = `owners:
  - owner: our $1
    frames: ['a/{}.*']
`;
const PRODUCTS = `products:
  - name: ourd
    aliases: [our-daemon]
    packages: [a/b]
    fetch: curl -s localhost:1/{path}
    needs: --debug
`;

function read(changes: Readonly<Record<string, string>> = {}): ReturnType<typeof readKnowledge> {
  const files = {
    'causes.yaml': CAUSES,
    'causes/ours.yaml': OURS,
    'lifetimes.yaml': LIFETIMES,
    'owners.yaml': OWNERS,
    'products.yaml': PRODUCTS,
    ...changes,
  };
  return readKnowledge(new Map(Object.entries(files)));
}

describe('readKnowledge', () => {
  it('reads causes, with snippets and aliases in their place, and owners', () => {
    assert.deepEqual(read(), {
      causes: [
        {
          id: 'our-cause',
          title: 'Ours',
          kind: 'goroutine',
          signs: [
            { any: ['a/b.(*T).run'], states: ['chan receive'] },
            { all: ['a/b.(*T).run'], waitMinutes: 3 },
          ],
          meaning: 'It means something.',
          check: ["grep -E '^(a|b)'", "grep -E '^process_open_fds'", 'df -h'],
          act: ['Do it again.'],
          avoid: [],
          benign: false,
          isTiedToPods: true,
        },
      ],
      owners: [{ owner: 'our $1', frames: ['a/{}.*'] }],
      products: [
        {
          name: 'ourd',
          aliases: ['our-daemon'],
          pods: [],
          packages: ['a/b'],
          metrics: [],
          fetch: 'curl -s localhost:1/{path}',
          needs: '--debug',
          version: '',
          keeps: '',
        },
      ],
      leaks: [],
      lifetimes: [
        {
          of: 'a loop of ours',
          kind: 'goroutine',
          signs: [{ any: ['a/b.(*T).run'] }],
          endsBy: 'T.Close',
          fillsTo: '',
          isReused: false,
        },
      ],
      problems: [],
    });
  });

  const bad = (from: string, to: string): Record<string, string> => ({ 'causes/ours.yaml': OURS.replace(from, to) });
  for (const [what, changes, expected] of [
    ['broken YAML', bad('signs:', 'signs: ['), /^causes\/ours\.yaml: line \d+: /],
    ['a missing field', bad('    title: Ours\n', ''), /^causes\/ours\.yaml:4: causes\[0\]\.title: is needed$/],
    [
      'a wrong kind',
      bad('goroutine', 'stack'),
      /^causes\/ours\.yaml:6: causes\[0\]\.kind: must be one of goroutine, heap, native-memory,/,
    ],
    ['an unknown field', bad('isTied', 'tied'), /^causes\/ours\.yaml:\d+: causes\[0\]\.tiedToPods: is not a field/],
    ['an unknown condition', bad('all:', 'every:'), /:10: causes\[0\]\.signs\[1\]\.every: is not a field/],
    [
      'a sign without one',
      bad(
        '- any: &loop [a/b.(*T).run]\n        states: [chan receive]\n      - all: *loop\n        waitMinutes: 3',
        '- {}',
      ),
      /signs\[0\]\.any: a sign needs a condition/,
    ],
    [
      'a pattern for owners',
      bad('(*T).run]', '(*T).*]'),
      /:8: causes\[0\]\.signs\[0\]\.any: "a\/b\.\(\*T\)\.\*" is not a part/,
    ],
    ['a state that Go does not have', bad('chan receive', 'chan recv'), /:9: .*states: "chan recv" is no state/],
    ['no number', bad('waitMinutes: 3', 'waitMinutes: soon'), /:11: .*waitMinutes: must be a number of minutes/],
    [
      'no such snippet',
      bad('- fds:', '- sockets:'),
      /:16: causes\[0\]\.check\[1\]: must be text or one of the snippets metrics, fds, again$/,
    ],
    [
      'a snippet without its text',
      bad('- metrics: ^(a|b)', '- metrics:'),
      /:15: causes\[0\]\.check\[0\]: metrics needs a text$/,
    ],
    ['a snippet with a text too many', bad('- fds:', '- fds: 1'), /check\[1\]: fds takes nothing$/],
    ['a snippet twice', bad('again: Do', 'fds: Do'), /snippets\.fds: is the name of another snippet/],
    [
      'a group that is not in the order',
      { 'causes/more.yaml': OURS },
      /^causes\/more\.yaml: is not in the order of causes\.yaml$/,
    ],
    [
      'a group that is not there',
      { 'causes.yaml': CAUSES.replace('[ours]', '[ours, more]') },
      /^causes\.yaml: order: there is no group more$/,
    ],
    ['an id twice', { 'causes.yaml': CAUSES.replace('[ours]', '[ours, ours]') }, /two causes have the id our-cause/],
    [
      'an owner without a word for $1',
      { 'owners.yaml': OWNERS.replace('{}', 'b') },
      /^owners\.yaml:3: owners\[0\]\.frames: "a\/b\.\*" must keep a word for \$1/,
    ],
    ['a leak', { 'leaks/x.yaml': 'id: x\n' }, /^leaks\/x\.yaml:1: title: is needed$/],
  ] as const) {
    it(`names file and line: ${what}`, () => {
      const { problems } = read(changes);
      assert.ok(
        problems.some(problem => expected.test(problem)),
        problems.join('\n'),
      );
    });
  }
});
