import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { madeTree } from '../../test/browser/made-tree.ts';
import { biggestChange, changeColours, changeStep, CHANGE_STEPS, packageColour } from './palette.ts';

const SYNC = 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync';

it('a package has the same colour in every build', () => {
  const colour = packageColour('k8s.io/klog/v2.(*flushDaemon).run');
  assert.equal(packageColour('k8s.io/kubernetes/vendor/k8s.io/klog/v2.Infof'), colour);
  // Forever: people recognise packages by their colour.
  assert.equal(packageColour(SYNC), packageColour('k8s.io/kubernetes/pkg/kubelet.NewMainKubelet'));
  assert.equal(packageColour('net/http.(*conn).serve'), 2);
  assert.equal(packageColour('runtime.gopark'), 2);
  assert.equal(packageColour('0x45f2a1'), 1);
});

it('colours changes by amount, not by ratio', () => {
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
  assert.equal(of('doubled'), 1, 'small, but not zero');
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
