import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { recordedBody, RECORDED_SET_SECONDS, type RecordedSet } from '../../../test/double/recording.ts';
import { familiesOf } from './families-of.ts';
import { isGzip } from '../../base/sniff.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { readPile } from './read-pile.ts';
import { readTargetEvidence, evidenceFiles } from './read-target-evidence.ts';
import type { CapturedEvidence, TargetEvidence } from '../capture.ts';

const OPTIONS = { families: familiesOf, keepStacks: false };
const inflate = (bytes: Uint8Array): Uint8Array => (isGzip(bytes) ? gunzipSync(bytes) : bytes);

function captureOf(set: RecordedSet): CapturedEvidence {
  const at = RECORDED_SET_SECONDS[set];
  const files = [
    { kind: 'heap' as const, name: `heap-${at}.pb.gz`, bytes: recordedBody(set, 'heap.pb.gz') },
    { kind: 'goroutine' as const, name: `goroutine-${at}.pb.gz`, bytes: recordedBody(set, 'goroutine.pb.gz') },
  ];
  return {
    manifest: {
      schema: 'oakum.capture/v1',
      target: 'node/leak-a',
      oakumVersion: '0.0.0',
      startedAtSeconds: at,
      endedAtSeconds: at,
      version: 'v1.36.0',
      goVersion: 'go1.26',
      buildId: undefined,
      processStartSeconds: [1_794_772_000],
      entries: files.map(({ kind, name, bytes }) => ({
        kind,
        set: 1,
        file: name,
        request: `/debug/pprof/${kind}`,
        takenAtSeconds: at,
        tookSeconds: 0,
        skewSeconds: undefined,
        status: 200,
        bytes: bytes.length,
        sha256: '',
        truncated: undefined,
        error: undefined,
      })),
      notes: [],
    },
    files,
  };
}

/** Half an hour of one life: the live heap rises by 42 MiB an hour, the goroutines stay steady. */
function risingSamples(): TargetEvidence['samples'] {
  const times = Float64Array.from({ length: 60 }, (_, i) => RECORDED_SET_SECONDS.first + i * 30);
  const column = (metric: string, value: (i: number) => number): TargetEvidence['samples'][number] => ({
    metric,
    times,
    values: Float64Array.from(times, (_, i) => value(i)),
  });
  return [
    column('go_goroutines', i => 300 + (i % 3)),
    column('go_gc_heap_live_bytes', i => 30e6 + i * 367_000 + (i % 5) * 40_000),
    column('process_start_time_seconds', () => 1_794_772_000),
    column('kubelet_running_pods', () => 61),
    // What watch kept of a scrape is a part of it.
    column('oakum_scrape_series', () => 912),
  ];
}

it('gives the same answer for evidence as data and as files', async () => {
  const evidence: TargetEvidence = {
    target: 'node/leak-a',
    captures: [captureOf('first'), captureOf('second')],
    samples: risingSamples(),
  };
  const fromData = analyzePile(readTargetEvidence(evidence, inflate, OPTIONS), { catalogue: [] });
  const fromFiles = analyzePile(await readPile(evidenceFiles(evidence, '/e', inflate), OPTIONS), { catalogue: [] });
  assert.ok(fromData.findings.length > 0);
  assert.ok(
    fromData.reasons.some(reason => reason.includes('live heap +')),
    fromData.reasons.join('\n'),
  );
  const { inputs: _, ...answer } = fromData;
  const { inputs: __, ...sameAnswer } = fromFiles;
  assert.deepEqual(answer, sameAnswer);
});
