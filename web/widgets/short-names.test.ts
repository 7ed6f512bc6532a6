import assert from 'node:assert/strict';
import fc from 'fast-check';
import { it } from 'node:test';
import { fitSymbol, shortPath, shortSymbol } from './short-names.ts';

const SYNC = 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync';

it('shortens symbols from the left', () => {
  assert.equal(shortSymbol(SYNC), 'kubelet.(*podWorkers).startPodSync');
  assert.equal(shortSymbol('k8s.io/klog/v2.(*flushDaemon).run.func1'), 'klog.(*flushDaemon).run.func1');
  assert.equal(shortSymbol('main.(*box[go.shape.struct { a/b.C[int]; n int }]).wait'), 'main.(*box[…]).wait');
  const fits = [40, 30, 20, 8, 3, 2].map(room => fitSymbol(SYNC, room));
  assert.deepEqual(fits, [
    'kubelet.(*podWorkers).startPodSync',
    '(*podWorkers).startPodSync',
    'startPodSync',
    'startPo…',
    'st…',
    '',
  ]);
  assert.equal(fitSymbol('main.(*T).Run.func1.2', 13), 'Run.func1.2', 'a closure keeps the name of its function');
});

it('never exceeds the room, and shows no control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 0, max: 60 }), (name, room) => {
      const text = fitSymbol(name, room);
      assert.ok(text.length <= room || text === '');
      assert.doesNotMatch(text, /[\u0000-\u001f\u202e]/);
    }),
  );
});

it('keeps the last two elements of a path', () => {
  assert.equal(shortPath('/src/kubernetes/pkg/kubelet/kubelet.go'), 'kubelet/kubelet.go');
  assert.equal(shortPath('main.go'), 'main.go');
});
