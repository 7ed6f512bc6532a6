import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { CapturedChange, CaptureManifest } from '../capture.ts';
import { Redactor } from './redactor.ts';
import { redactCaptureManifest } from './redact-manifest.ts';

const change = (attribute: string, from: string, to: string): CapturedChange => ({
  atSeconds: 1_794_700_000,
  attribute,
  from,
  to,
});

const MANIFEST: CaptureManifest = {
  schema: 'oakum.capture/v1',
  target: 'node/payments-7',
  oakumVersion: '0.1.0',
  startedAtSeconds: 1_794_772_000,
  endedAtSeconds: 1_794_772_010,
  version: 'v1.36.0',
  goVersion: 'go1.26',
  buildId: undefined,
  processStartSeconds: [1_794_000_000],
  entries: [],
  changes: [
    change('version', 'v1.35.7', 'v1.36.0-acme.payments'),
    change('kernel', '6.8.0-49-generic', '6.8.0-51-generic'),
    change('gate/KubeletTracing', 'off', 'on'),
    change('pool', 'payments', 'batch'),
    change('daemonset/acme-agent', '6f7d', ''),
    change('label/owner', 'kim', 'alex'),
  ],
  notes: [],
};

it('a manifest keeps what changed and when, without what is somebody’s', () => {
  const redactor = new Redactor(text => encodeText(text.padEnd(16, '.')));
  const text = redactCaptureManifest(MANIFEST, redactor, name => name);
  const { changes = [] } = JSON.parse(text) as CaptureManifest;
  assert.equal(changes.length, 6);
  assert.ok(changes.every(({ atSeconds }) => atSeconds === 1_794_700_000));
  assert.deepEqual(
    changes.slice(0, 3).map(({ attribute, from, to }) => [attribute, from, to]),
    [
      ['version', 'v1.35.7', 'v1.36.0'],
      ['kernel', '6.8.0-49-generic', '6.8.0-51-generic'],
      ['gate/KubeletTracing', 'off', 'on'],
    ],
  );
  const [, , , pool, daemonSet, label] = changes;
  assert.equal(pool.attribute, 'pool');
  assert.match(daemonSet.attribute, /^daemonset\/redacted-/);
  assert.equal(daemonSet.to, '');
  assert.match(label.attribute, /^redacted-/);
  for (const secret of ['payments', 'batch', 'acme', '6f7d', 'owner', 'kim', 'alex']) {
    assert.ok(!text.includes(secret), secret);
  }
});

it('the name of a target in one of several clusters is hidden, with its parts', () => {
  const redactor = new Redactor(text => encodeText(text.padEnd(16, '.')));
  const manifest = { ...MANIFEST, target: 'cluster/acme-prod/node/payments-7' };
  const { target } = JSON.parse(redactCaptureManifest(manifest, redactor, name => name)) as CaptureManifest;
  assert.equal(target, redactor.hide('name', manifest.target));
  const hidden = [...redactor.originals.keys()];
  for (const part of ['acme-prod', 'payments-7', manifest.target]) assert.ok(hidden.includes(part), part);
});
