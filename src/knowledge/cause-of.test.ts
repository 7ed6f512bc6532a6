import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KUBELET, goroutine, heap } from '../../test/causes/family-evidence.ts';
import { GO_STACKS } from '../../test/causes/go-stacks.ts';
import { KUBELET_STACKS } from '../../test/causes/kubelet-stacks.ts';
import { CAUSES } from './bundled.ts';
import { causeById, causeOf, causeOfResource, type FamilyEvidence } from './cause-of.ts';

const STACKS = [...KUBELET_STACKS, ...GO_STACKS];

/** Stacks that resemble a cause but do not have it. */
const NEAR_MISSES: readonly (readonly [not: string, is: string | undefined, family: FamilyEvidence])[] = [
  ['hung-file-system', 'sleep', goroutine(['time.Sleep', 'os.Statement'], { state: 'sleep' })],
  ['hung-file-system', undefined, goroutine(['os.Stat', 'main.walk'], { state: 'syscall' })],
  ['hung-file-system', undefined, goroutine(['os.Stat', 'main.walk'], { state: 'running', minutes: 9 })],
  ['context-pod-sync', 'pod-workers-map', heap(`${KUBELET}.(*podWorkers).UpdatePod`)],
  ['context-uncancelled', undefined, heap('main.contextual.withCancel')],
  ['pod-worker-idle', 'select', goroutine(['example.com/x/kubelets.(*podWorkers).podWorkerLoop'], { state: 'select' })],
  ['probe-worker-idle', 'select', goroutine(['example.com/prober.(*workers).run'], { state: 'select' })],
  [
    'event-recording',
    'event-broadcaster',
    goroutine(['k8s.io/client-go/tools/events.(*eventBroadcasterImpl).StartEventWatcher']),
  ],
  [
    'apiserver-timeout-handler',
    'http-request-goroutine',
    goroutine(['k8s.io/apiserver/pkg/server/filters.(*timeoutHandler).ServeHTTP', 'net/http.HandlerFunc.ServeHTTP'], {
      state: 'running',
    }),
  ],
  ['main', 'chan-receive', goroutine(['main.main'], { state: 'chan receive', by: 'main.main' })],
  ['pod-cgroup-cleanup', 'mutex', goroutine(['sync.(*Mutex).Lock', 'main.(*podContainerManagerImpl2).Destroy'])],
  ['chan-send', undefined, goroutine(['main.busy'])],
  ['informer-handler', 'chan-receive', goroutine(['main.(*listener).run'], { state: 'chan receive' })],
];

describe('causeOf', () => {
  it('names the cause of documented stacks', () => {
    for (const [cause, family] of STACKS) assert.equal(causeOf(family)?.id, cause, family.frames.join(' < '));
  });

  it('has a stack for every cause', () => {
    const tried = new Set(STACKS.map(([cause]) => cause));
    assert.deepEqual(
      CAUSES.filter(({ id, signs }) => signs.length > 0 && !tried.has(id)),
      [],
    );
  });

  it('explains a whole resource only where no stack is needed for it', () => {
    assert.equal(causeOfResource('heap'), undefined, 'not the first cause of some stack of the heap');
    assert.equal(causeOfResource('goroutines'), undefined);
    assert.match(causeOfResource('native-memory')?.title ?? '', /the Go runtime does not know/);
  });

  it('rejects near misses', () => {
    for (const [not, is, family] of NEAR_MISSES) {
      const found = causeOf(family)?.id;
      assert.notEqual(found, not);
      assert.equal(found, is, family.frames.join(' < '));
    }
  });

  it('separates kinds and needs no frames', () => {
    assert.equal(causeOf(heap('sync.(*Mutex).Lock', 'main.f')), undefined);
    assert.equal(causeOf(goroutine([])), undefined);
    assert.equal(causeOf(goroutine(['', '/', '.', 'x/', '.(', 'a.(']))?.id, undefined);
  });

  it('decides by what most of the goroutines wait for', () => {
    const mixed = {
      ...goroutine(['main.f']),
      states: new Map([
        ['chan send', 3],
        ['running', 9],
      ]),
    };
    assert.equal(causeOf(mixed), undefined);
    assert.equal(
      causeOf({
        ...mixed,
        states: new Map([
          ['chan send', 9],
          ['running', 3],
        ]),
      })?.id,
      'chan-send',
    );
  });
});

describe('causes', () => {
  it('are complete and plain data', () => {
    const ids = CAUSES.map(cause => cause.id);
    assert.equal(new Set(ids).size, ids.length, 'ids are unique');
    for (const cause of CAUSES) {
      assert.match(cause.id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
      assert.ok(cause.check.length > 0 && cause.act.length > 0, cause.id);
      assert.match(cause.meaning, /\.$/, cause.id);
      assert.ok(cause.title.length <= 60 && !cause.title.endsWith('.'), cause.id);
      for (const text of [...cause.act, ...cause.avoid]) assert.match(text, /\.$|^See .*true$/, `${cause.id}: ${text}`);
      const plain = causeById(cause.id);
      assert.deepEqual(Object.keys(plain ?? {}), ['id', 'title', 'meaning', 'check', 'act', 'avoid', 'benign']);
    }
  });

  it('repeat none of the mistakes in common guides', () => {
    const texts = CAUSES.flatMap(({ check, act, meaning }) => [...check, ...act, meaning]).join('\n');
    for (const wrong of [
      /kubelet_goroutines/,
      /kubelet_sync_loop_duration/,
      /kubelet_evictions_total/,
      /can-i get nodes\/proxy/,
      /10255/,
      /image-gc-high-threshold/,
      /#13190[56]/,
    ]) {
      assert.doesNotMatch(texts, wrong);
    }
    for (const line of texts.split('\n').filter(text => text.includes('prober_probe_total'))) {
      assert.match(line, /\/metrics\/probes/);
    }
  });

  it('warn against a restart on a dead file system', () => {
    assert.match(causeById('hung-file-system')?.avoid[0] ?? '', /Do not restart the kubelet automatically/);
  });
});
