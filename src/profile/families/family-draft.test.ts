import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { goroutineTitle, heapTitle } from './family-draft.ts';
import { leadingFrame } from './shared-packages.ts';

describe('titles of families', () => {
  it('name who waits for what, and who allocates through what', () => {
    assert.equal(goroutineTitle('example.com/a/cache.run', 'select'), 'cache.run ← select');
    assert.equal(heapTitle('example.com/a/cache.run', 'context.WithCancel'), 'cache.run → context.WithCancel');
    assert.equal(heapTitle('example.com/a/cache.run', ''), 'cache.run');
  });

  it('name a library, and never what only starts a goroutine', () => {
    const frames = ['go.opentelemetry.io/otel/sdk/trace.NewBatchSpanProcessor', 'sync.(*WaitGroup).Go'];
    assert.equal(leadingFrame(frames), 0);
    assert.equal(leadingFrame(['net/http.(*conn).serve', 'net/http.(*Server).Serve']), 1);
    assert.equal(leadingFrame([...frames, 'main.run']), 2);
  });

  it('lose the package first, then the middle', () => {
    assert.equal(
      heapTitle(
        'k8s.io/kubernetes/pkg/kubelet/volumemanager.(*volumeManager).WaitForAttachAndMount',
        'k8s.io/apimachinery/pkg/util/wait.PollUntilContextTimeout',
      ),
      '(*volumeManager).WaitForAttachAndMount → wait.PollUntilContextTimeout',
    );
    const long = heapTitle(`example.com/a.${'x'.repeat(90)}End`, 'context.WithCancel');
    assert.match(long, /^x+…x+End → context\.WithCancel$/);
    assert.ok(long.length <= 72);
  });
});
