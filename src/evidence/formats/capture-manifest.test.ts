import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readCaptureManifest } from './capture-manifest.ts';

const ENTRY = {
  kind: 'heap',
  set: 1,
  file: 'heap-1.pb.gz',
  request: '/debug/pprof/heap',
  takenAtSeconds: 1794772003,
  tookSeconds: 0.5,
  skewSeconds: -2,
  status: 200,
  bytes: 10,
  sha256: '00',
};
const MANIFEST = {
  schema: 'oakum.capture/v1',
  target: 'node/worker-17',
  oakumVersion: '0.1.0',
  startedAtSeconds: 1794772000,
  version: 'v1.36.0',
  processStartSeconds: [1794000000, null],
  goroutines: [5],
  entries: [ENTRY],
  changes: [{ atSeconds: 1_794_700_000, attribute: 'version', from: 'v1.35.7', to: 'v1.36.0' }],
  notes: ['a note'],
};

it('reads what oakum capture writes', () => {
  const read = readCaptureManifest(JSON.parse(JSON.stringify(MANIFEST)));
  assert.deepEqual(JSON.parse(JSON.stringify(read)), { ...MANIFEST, processStartSeconds: [1794000000, null] });
});

it('is not fooled by another shape', () => {
  for (const value of [undefined, null, [], 'x', {}, { ...MANIFEST, schema: 'x' }, { ...MANIFEST, target: 7 }]) {
    assert.equal(readCaptureManifest(value), undefined);
  }
  assert.equal(readCaptureManifest({ ...MANIFEST, entries: {} }), undefined);
  const odd = readCaptureManifest({
    ...MANIFEST,
    version: 5,
    notes: [1],
    entries: [null, 7, { ...ENTRY, kind: 'spell' }, { ...ENTRY, takenAtSeconds: 'now' }, { ...ENTRY, file: 7 }],
  });
  assert.deepEqual(
    [odd?.version, odd?.notes, odd?.entries.length, odd?.entries[0]?.file],
    [undefined, ['1'], 1, undefined],
  );
});
