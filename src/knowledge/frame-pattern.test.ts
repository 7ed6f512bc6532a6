import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchName, parsePattern, partsOf } from './frame-pattern.ts';

const RUN = 'k8s.io/kubernetes/pkg/kubelet/prober.(*worker).run';

describe('parts of names', () => {
  for (const [part, is] of [
    ['k8s.io/kubernetes/pkg/kubelet/prober', true],
    ['pkg/kubelet/prober', true],
    ['prober', true],
    ['prober.(*worker)', true],
    ['prober.(*worker).run', true],
    ['(*worker).run', true],
    ['pkg/kubelet/', true],
    ['k8s.io/', true],
    ['rober', false],
    ['pkg/kubelet', false],
    ['prober/', false],
    ['prober.(*work', false],
    ['prober.', false],
    ['run', false],
    ['k8s', false],
    ['', false],
  ] as const) {
    it(`${JSON.stringify(part)} ${is ? 'is' : 'is not'} one`, () => assert.equal(partsOf([RUN]).has(part), is));
  }

  it('ends at a closure, and survives odd names', () => {
    assert.ok(partsOf([`${RUN}.func1`]).has('(*worker).run'));
    assert.doesNotThrow(() => partsOf(['', '/', '.', 'x/', '.(', 'a.(', '//', 'a/.b']));
  });
});

describe('patterns of names', () => {
  for (const [pattern, name, word] of [
    ['net/http.*', 'net/http.(*conn).serve', ''],
    ['net/http.*', 'net/http', undefined],
    ['net/http.*', 'net/http/httputil.Dump', undefined],
    ['net/http.*', 'example.com/net/http.Get', undefined],
    ['net/http', 'net/http.Get', ''],
    ['net/http', 'net/httptest.Get', undefined],
    ['a.io/b/', 'a.io/b/c.F', ''],
    ['a.io/b/', 'a.io/b.F', undefined],
    ['syscall.Statfs*', 'syscall.Statfs', ''],
    ['syscall.Statfs*', 'syscall.Stat', undefined],
    ['a/b.(*T)*', 'a/b.(*T).m', ''],
    ['a/b.(*T)*', 'a/b.(*U).m', undefined],
    ['a/{}*', 'a/job-queue/sync.F', 'job-queue'],
    ['a/{}*', 'a/.F', undefined],
    ['a/{cpu,memory}manager*', 'a/cpumanager/state.F', 'cpu'],
    ['a/{cpu,memory}manager*', 'a/diskmanager.F', undefined],
    ['a/{x,y}.*', 'a/y.F', 'y'],
    ['a/{x,y}.*', 'a/y/z.F', undefined],
    ['a/.../{}.*', 'a/b.F', 'b'],
    ['a/.../{}.*', 'a/b/c-d/e.(*T).F', 'e'],
    ['a/.../{}.*', 'a.F', undefined],
    ['a/{}', 'a/b.F', 'b'],
    ['a/{}', 'a/b/c.F', undefined],
    ['*', 'anything', ''],
  ] as const) {
    it(`${pattern} on ${name}: ${word ?? 'no'}`, () => assert.equal(matchName(parsePattern(pattern), name), word));
  }
});
