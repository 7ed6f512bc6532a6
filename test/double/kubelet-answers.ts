/** The answers of the recorded kubelet at each of its paths. */
import type { PlannedAnswer } from './faults.ts';
import { type RecordedSet, recordedAnswer, recordedBody, recordedOnce } from './recording.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const BINARY = { 'content-type': 'application/octet-stream' };

export function kubeletAnswer(url: URL, set: RecordedSet, handlersOff: boolean): PlannedAnswer {
  const path = url.pathname;
  if (path === '/metrics') {
    const headers = { ...TEXT, 'process-start-time-unix': '1794771922' };
    return { status: 200, headers, body: recordedBody(set, 'metrics.prom.gz') };
  }
  if (path === '/healthz') return plain(200, 'ok');
  if (path === '/stats/summary') return ofRecording('debughandlers-off-direct-stats_summary');
  if (path === '/metrics/probes') return plain(200, '# TYPE prober_probe_total counter\nprober_probe_total 0\n');
  if (path === '/configz' && !handlersOff) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: recordedOnce('configz.json') };
  }
  const profile = /^\/debug\/pprof\/(\w*)$/.exec(path)?.[1];
  if (profile === undefined) return ofRecording('direct-404-unknown-path');
  if (handlersOff) return ofRecording('debughandlers-off-direct-debug_pprof');
  return profileAnswer(profile, url.searchParams, set);
}

function profileAnswer(profile: string, query: URLSearchParams, set: RecordedSet): PlannedAnswer {
  if (profile === '') return ofRecording('direct-pprof-index-404');
  const binary = (body: Buffer): PlannedAnswer => ({ status: 200, headers: BINARY, body });
  if (profile === 'profile') return binary(recordedOnce('cpu.pb.gz'));
  if (!['heap', 'goroutine', 'allocs', 'block', 'mutex', 'threadcreate'].includes(profile)) {
    return ofRecording('direct-goroutineleak');
  }
  if (query.get('seconds') === '0')
    return plain(400, 'invalid value for "seconds" - must be a positive integer\n', { 'x-go-pprof': '1' });
  const debug = query.get('debug') ?? '0';
  if (profile === 'goroutine' && debug !== '0') {
    return { status: 200, headers: TEXT, body: recordedBody(set, `goroutine-d${debug}.txt.gz`) };
  }
  if (profile === 'goroutine') return binary(recordedBody(set, 'goroutine.pb.gz'));
  if (profile === 'heap' || profile === 'allocs') return binary(recordedBody(set, 'heap.pb.gz'));
  return binary(recordedOnce(`${profile}.pb.gz`));
}

export function plain(status: number, body: string, headers: Record<string, string> = {}): PlannedAnswer {
  return { status, headers: { ...TEXT, ...headers }, body: Buffer.from(body) };
}

export function json(status: number, value: unknown): PlannedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(`${JSON.stringify(value)}\n`) };
}

function ofRecording(name: string): PlannedAnswer {
  const { status, headers, body } = recordedAnswer(name);
  return { status, headers, body: Buffer.from(body) };
}

/** The subresource that a kubelet asks the API server about. */
export function kubeletRight(path: string): string {
  if (path.startsWith('/metrics')) return 'nodes/metrics';
  if (path.startsWith('/stats')) return 'nodes/stats';
  if (path === '/configz') return 'nodes/configz';
  return 'nodes/proxy';
}
