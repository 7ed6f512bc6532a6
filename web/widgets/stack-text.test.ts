import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseFrame, placeText, stackFolded, stackText } from './short-names.ts';

const FRAMES = ['runtime.gopark', 'main.serve /src/my project/main.go:88', 'main.main'].map(parseFrame);

it('a stack as Go prints it, and folded', () => {
  assert.equal(stackText(FRAMES), 'runtime.gopark\nmain.serve\n\t/src/my project/main.go:88\nmain.main\n');
  assert.equal(stackFolded(FRAMES, 12), 'main.main;main.serve;runtime.gopark 12\n');
  assert.equal(stackFolded([{ name: 'a;b\nc', place: '' }], 1), 'a:b:c 1\n');
});

it('reads frames of any shape', () => {
  const generic = 'main.(*box[go.shape.struct { a int }]).wait';
  assert.deepEqual(parseFrame(`${generic} C:\\go\\main.go:5`), { name: generic, place: 'C:\\go\\main.go:5' });
  assert.deepEqual(parseFrame(`${generic} k8s.io/x/main.go:5`), { name: generic, place: 'k8s.io/x/main.go:5' });
  assert.deepEqual(parseFrame(generic), { name: generic, place: '' });
});

it('says where the code of a finding is', () => {
  const family = { id: 'g-1', title: 'main.run', frames: ['main.run'], places: [null], state: null, labels: [] };
  const none = { ...family, at: null, createdBy: 'main.start', createdAt: null, caller: null };
  assert.equal(placeText(none), '');
  assert.equal(placeText({ ...none, at: 'k8s.io/kubernetes/pkg/kubelet/kubelet.go:88' }), 'kubelet/kubelet.go:88');
  const created = { ...none, at: 'leak/main.go:21', createdAt: 'k8s.io/x/start.go:34' };
  assert.equal(placeText(created), 'leak/main.go:21, created by main.start at x/start.go:34');
});
