import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { madeTree } from '../../test/browser/made-tree.ts';
import { biggestChange, changeColours, changeStep, CHANGE_STEPS, packageColour } from './frame-colours.ts';
import { fitSymbol, shortSymbol } from '../text/short-names.ts';
import { firstOpen, isLeaf, openRows, openTo } from './tree-rows.ts';

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
  assert.equal(fitSymbol('main.(*T).Run.func1.2', 13), 'Run.func1.2', 'a closure says whose it is');
});

it('never takes more room than there is, and shows no control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 0, max: 60 }), (name, room) => {
      const text = fitSymbol(name, room);
      assert.ok(text.length <= room || text === '');
      assert.doesNotMatch(text, /[\u0000-\u001f\u202e]/);
    }),
  );
});

it('a package has one colour, whichever build names it', () => {
  const colour = packageColour('k8s.io/klog/v2.(*flushDaemon).run');
  assert.equal(packageColour('k8s.io/kubernetes/vendor/k8s.io/klog/v2.Infof'), colour);
  // For ever: a colour that changes with a release is no landmark.
  assert.equal(packageColour(SYNC), packageColour('k8s.io/kubernetes/pkg/kubelet.NewMainKubelet'));
  assert.equal(packageColour('net/http.(*conn).serve'), 2);
  assert.equal(packageColour('runtime.gopark'), 2);
  assert.equal(packageColour('0x45f2a1'), 1);
});

it('colours changes by amount, not by proportion', () => {
  const tree = madeTree([
    ['grew', 1100, 1000],
    ['doubled', 2, 1],
    ['same', 50, 50],
    ['shrank', 0, 100],
  ]);
  const steps = changeColours(tree);
  const of = (name: string): number => steps[[...tree.frame].indexOf(tree.frames.names.indexOf(name))];
  assert.equal(biggestChange(tree), 100);
  assert.equal(of('grew'), CHANGE_STEPS);
  assert.equal(of('shrank'), -CHANGE_STEPS);
  assert.equal(of('same'), 0);
  assert.equal(of('doubled'), 1, 'small, but not nothing');
});

it('the step of a change follows its size and sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -1000, max: 1000 }), (a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      assert.ok(changeStep(low, 1000) <= changeStep(high, 1000));
      assert.equal(Math.sign(changeStep(a, 1000)), Math.sign(a));
      assert.equal(changeStep(-a, 1000) + changeStep(a, 1000), 0);
    }),
  );
});

it('the table opens along the widest path, and to whatever is selected', () => {
  const tree = madeTree([
    ['main;serve;read', 8],
    ['main;poll', 2],
    ['idle;sleep', 1],
  ]);
  const names = (open: ReadonlySet<number>): string[] =>
    openRows(tree, open).map(node => (node === 0 ? 'all' : tree.frames.names[tree.frame[node]]));
  assert.deepEqual(names(new Set([0])), ['all', 'main', 'idle']);
  assert.deepEqual(names(firstOpen(tree)), ['all', 'main', 'serve', 'read', 'poll', 'idle']);
  const sleep = [...tree.frame].indexOf(tree.frames.names.indexOf('sleep'));
  assert.ok(isLeaf(tree, sleep));
  assert.deepEqual(names(openTo(tree, new Set([0]), sleep)), ['all', 'main', 'idle', 'sleep']);
});
