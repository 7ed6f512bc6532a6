import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import type { FailureKind, RequestContext } from './explanation.ts';
import type { Answer, NoAnswer, NoAnswerKind, Reply, TlsProblem, Via } from '../reply.ts';
import { hasHidden } from '../../base/visible-text.ts';
import { recordedAnswer, recordedNames } from '../../../test/double/recording.ts';
import { explain } from './explain.ts';

function requestVia(via: Via, path = '/metrics'): RequestContext {
  const address = via === 'kubelet' ? 'https://10.0.0.7:10250' : 'https://10.0.0.1:6443';
  return { target: 'node/worker-17', via, address, path };
}

function answer(status: number, body: string, more: Partial<Answer> = {}): Answer {
  return {
    kind: 'answer',
    status,
    headers: {},
    body: encodeText(body),
    cut: undefined,
    headAtSeconds: 0,
    dateSeconds: undefined,
    tookSeconds: 0.1,
    ...more,
  };
}

function fromRecording(name: string): Answer {
  const { status, headers, body } = recordedAnswer(name);
  return answer(status, body, { headers });
}

/** The recording, the way of the request, and the expected kind. */
const RECORDED: readonly (readonly [string, RequestContext, FailureKind, RegExp])[] = [
  [
    'proxy-401-no-token',
    requestVia('api-server-proxy'),
    'unauthorized',
    /API server .* does not accept the credentials/,
  ],
  ['direct-401-bad-token', requestVia('kubelet'), 'unauthorized', /or the kubelet cannot reach the API server/],
  ['proxy-403-metricsonly', requestVia('api-server-proxy'), 'forbidden', /metrics-only may not get nodes\/proxy/],
  [
    'proxy-403-viewer-cert',
    requestVia('api-server-proxy', '/debug/pprof/heap'),
    'forbidden',
    /^viewer may not get nodes\/pr/,
  ],
  ['direct-403-nobody-metrics', requestVia('kubelet'), 'forbidden', /nobody may not get nodes\/metrics/],
  ['direct-403-metricsonly-configz', requestVia('kubelet', '/configz'), 'forbidden', /may not get nodes\/configz/],
  ['proxy-404-no-such-node', requestVia('api-server-proxy'), 'no-such-node', /the cluster has no node nosuch/],
  [
    'proxy-404-unknown-profile',
    requestVia('api-server-proxy', '/debug/pprof/x'),
    'no-such-profile',
    /has no profile x/,
  ],
  [
    'direct-goroutineleak',
    requestVia('kubelet', '/debug/pprof/goroutineleak'),
    'no-such-profile',
    /comes with Go 1\.27/,
  ],
  ['direct-pprof-index-404', requestVia('kubelet', '/debug/pprof/'), 'no-such-path', /does not serve \/debug\/pprof\//],
  [
    'direct-404-unknown-path',
    requestVia('kubelet', '/nosuch'),
    'no-such-path',
    /kubelet of worker-17 does not serve \/nosuch/,
  ],
  [
    'debughandlers-off-proxy-pprof_heap',
    requestVia('api-server-proxy', '/debug/pprof/heap'),
    'handlers-off',
    /switched off/,
  ],
  [
    'debughandlers-off-direct-stats_summary',
    requestVia('kubelet', '/stats/summary'),
    'server-error',
    /root cgroup stats/,
  ],
  ['proxy-dead-kubelet', requestVia('api-server-proxy'), 'target-down', /kubelet of worker-17 is not running/],
  [
    'proxy-pprof-index-noslash-307',
    requestVia('api-server-proxy', '/debug/pprof'),
    'redirected',
    /redirects to \/api\/v1/,
  ],
  ['direct-400-seconds-and-debug', requestVia('kubelet', '/debug/pprof/heap'), 'bad-request', /incompatible/],
];

describe('the answers of a cluster', () => {
  for (const [name, request, kind, sentence] of RECORDED) {
    it(`${name} is ${kind}`, () => {
      const explained = explain(fromRecording(name), request);
      assert.equal(explained?.kind, kind);
      assert.match(explained.sentence, sentence);
      assert.notEqual(explained.nextStep, '');
    });
  }

  it('are all explained in the recordings', () => {
    const silent = /^direct-dead-kubelet$|hung-kubelet$/;
    for (const name of recordedNames().filter(one => !silent.test(one))) {
      const recording = recordedAnswer(name);
      const explained = explain(fromRecording(name), requestVia('kubelet', '/debug/pprof/heap'));
      if (recording.status <= 201) assert.equal(explained, undefined, name);
      else assert.notEqual(explained?.kind, 'other', name);
    }
  });

  it('name the missing permission, before 1.32 and after', () => {
    const old = 'Forbidden (user=bob, verb=get, resource=nodes, subresource=proxy)';
    assert.match(explain(answer(403, old), requestVia('kubelet'))?.sentence ?? '', /^bob may not get nodes\/proxy/);
  });

  it('warn about nodes/proxy and name a smaller permission', () => {
    const viaProxy = explain(fromRecording('proxy-403-metricsonly'), requestVia('api-server-proxy'));
    assert.match(viaProxy?.nextStep ?? '', /--direct, where \/metrics needs only nodes\/metrics.*running commands/);
    const pprof = explain(fromRecording('direct-403-metricsonly-pprof'), requestVia('kubelet', '/debug/pprof/heap'));
    assert.match(pprof?.nextStep ?? '', /hold that permission only as long as needed: it allows running commands/);
  });

  it('explain a slow 401 from a kubelet', () => {
    const slow = explain(answer(401, 'Unauthorized', { tookSeconds: 24.1 }), requestVia('kubelet'));
    assert.match(slow?.sentence ?? '', /after 24 s/);
    assert.match(slow?.nextStep ?? '', /check that the node reaches the API server/);
    assert.equal(slow?.passing, true);
    const proxied = explain(answer(401, 'Unauthorized'), requestVia('api-server-proxy'));
    assert.match(proxied?.sentence ?? '', /does not accept the API server's own credentials/);
  });

  it('are explained for the other statuses', () => {
    const cases: readonly (readonly [number, string, FailureKind])[] = [
      [405, 'profiling endpoint is disabled.', 'profiling-off'],
      [405, '', 'method-refused'],
      [429, '', 'throttled'],
      [500, 'Could not enable CPU profiling: cpu profiling already in use', 'busy'],
      [500, 'Authorization error (user=bob, verb=get, resource=nodes, subresource=metrics)', 'authorizer-down'],
      [502, '<html><body>Bad Gateway</body></html>', 'gateway'],
      [504, '', 'gateway'],
      [503, '', 'target-down'],
      [500, 'error dialing backend: No agent available', 'target-unreachable'],
      [503, 'error trying to reach service: x509: certificate signed by unknown authority', 'target-tls'],
      [400, 'Client sent an HTTP request to an HTTPS server.', 'bad-request'],
      [418, 'short and stout', 'other'],
    ];
    for (const [status, body, kind] of cases) {
      assert.equal(explain(answer(status, body), requestVia('api-server-proxy'))?.kind, kind, `${status} ${body}`);
    }
    const throttled = answer(429, '', { headers: { 'retry-after': '7' } });
    assert.equal(explain(throttled, requestVia('kubelet'))?.nextStep, 'wait 7 s and try again');
  });

  it('contain no control characters', () => {
    const statuses = fc.constantFrom(400, 401, 403, 404, 405, 418, 500, 502, 503);
    fc.assert(
      fc.property(statuses, fc.string({ unit: 'binary' }), (status, body) => {
        const explained = explain(answer(status, body), requestVia('http'));
        assert.ok(explained !== undefined && !hasHidden(explained.sentence + explained.nextStep));
        assert.ok(explained.sentence.length < 1000);
      }),
    );
  });
});

describe('no answer', () => {
  const failed = (kind: NoAnswerKind, tls?: TlsProblem): NoAnswer => ({
    kind,
    message: 'what the system says',
    tls,
    tookSeconds: 1,
  });

  it('has its own sentence for each step and each route', () => {
    const kinds: readonly NoAnswerKind[] = [
      'credentials',
      'dns',
      'refused',
      'unreachable',
      'socket',
      'proxy',
      'tls',
      'reset',
      'not-http',
      'timeout',
      'stopped',
      'other',
    ];
    const seen = new Map<string, string>();
    for (const kind of kinds) {
      const { sentence, nextStep, kind: told } = explain(failed(kind), requestVia('kubelet')) ?? assert.fail();
      assert.equal(told, kind);
      assert.equal(seen.get(nextStep), undefined, `${kind} and ${seen.get(nextStep)} have one next step`);
      seen.set(nextStep, kind);
      assert.notEqual(sentence, '');
    }
  });

  it('distinguishes a hung kubelet from a dead one', () => {
    const timeout = { ...failed('timeout'), message: 'no answer within 45 s', wasSent: true };
    const hung = explain(timeout, requestVia('api-server-proxy'));
    assert.match(hung?.sentence ?? '', /no answer within 45 s: the API server took the request/);
    assert.match(hung?.nextStep ?? '', /curl -k --max-time 10 https:\/\/localhost:10250/);
  });

  it('advises to end a process only if a request reached it', () => {
    const timeout = (wasSent?: boolean) => ({ ...failed('timeout'), ...(wasSent === undefined ? {} : { wasSent }) });
    const next = (reply: Reply, via: Via): string => explain(reply, requestVia(via))?.nextStep ?? '';
    const vias: readonly Via[] = ['api-server-proxy', 'api-server', 'kubelet', 'http', 'unix'];
    for (const via of vias) {
      for (const wasSent of [undefined, false]) assert.doesNotMatch(next(timeout(wasSent), via), /QUIT/, via);
      assert.doesNotMatch(next(failed('credentials'), via), /QUIT/, via);
    }
    // What the API server takes may not reach the target.
    for (const via of ['api-server-proxy', 'api-server'] as const)
      assert.doesNotMatch(next(timeout(true), via), /QUIT/);
    for (const via of ['kubelet', 'http', 'unix'] as const) assert.match(next(timeout(true), via), /kill -QUIT/);
  });

  it('says what is wrong with a certificate', () => {
    const problems: readonly (readonly [TlsProblem, RegExp])[] = [
      ['unknown-ca', /signed by an authority that is not known/],
      ['expired', /has expired/],
      ['not-yet-valid', /not valid yet/],
      ['wrong-name', /for another name/],
      ['plain-http', /does not speak TLS/],
      ['client-certificate', /wants a client certificate/],
    ];
    for (const [problem, sentence] of problems) {
      assert.match(explain(failed('tls', problem), requestVia('kubelet'))?.sentence ?? '', sentence);
    }
  });
});
