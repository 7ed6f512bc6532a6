import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactKubeJson } from './redact-kube-json.ts';
import { explain, plainRedactor } from '../../../test/redaction/plain-redactor.ts';

describe('JSON of Kubernetes', () => {
  it('keeps numbers, times, versions and enumerations', () => {
    const node = {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: {
        name: 'worker-17',
        annotations: { secret: 'annotation' },
        labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'worker-17', team: 'payments' },
        creationTimestamp: '2026-11-15T19:45:22Z',
      },
      spec: { providerID: 'aws:///eu-west-1/i-0abc' },
      status: {
        capacity: { cpu: '4', memory: '16Gi', 'hugepages-2Mi': '0' },
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'worker-17 is ready' }],
        nodeInfo: { kubeletVersion: 'v1.36.0', osImage: 'Debian GNU/Linux 12 (bookworm)', machineID: '4c4c4544' },
        images: [{ names: ['registry.corp.example/app:1'] }],
      },
    };
    const redactor = plainRedactor();
    const once = redactKubeJson(JSON.stringify(node), redactor);
    const out = JSON.parse(explain(once, redactor)) as typeof node;
    assert.equal(out.metadata.name, '<worker-17>');
    assert.equal('annotations' in out.metadata, false);
    assert.deepEqual(out.metadata.labels, {
      'kubernetes.io/os': 'linux',
      'kubernetes.io/hostname': '<worker-17>',
      '<team>': '<payments>',
    } as unknown);
    assert.equal(out.spec.providerID, 'aws://</eu-west-1/i-0abc>');
    assert.deepEqual(out.status.capacity, node.status.capacity);
    assert.equal(out.status.conditions[0].message, '<worker-17 is ready>');
    assert.equal(out.status.conditions[0].reason, 'KubeletReady');
    assert.equal(out.status.nodeInfo.kubeletVersion, 'v1.36.0');
    assert.equal(out.status.nodeInfo.machineID, '<4c4c4544>');
    assert.equal('images' in out.status, false);
    assert.equal(redactKubeJson(once, redactor), once, 'twice');
  });

  it('keeps no key, kind, reason or version that Kubernetes does not write', () => {
    const secret = 'Hunter2Secret';
    const text = JSON.stringify({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        labels: { [`node-role.kubernetes.io/${secret}`]: '', [`${secret}.k8s.io/x`]: 'true' },
        ownerReferences: [{ kind: secret, apiVersion: 'hunter2secret.k8s.io/v1' }],
      },
      spec: {
        volumes: [{ csi: { volumeAttributes: { [secret]: 'x' }, mode: secret, type: secret } }],
        containers: [
          {
            resources: { requests: { [`${secret}/gpu`]: '1' } },
            livenessProbe: { httpGet: { httpHeaders: [{ name: secret, value: 'x' }] } },
          },
        ],
      },
      status: {
        conditions: [{ type: secret, status: 'True', reason: secret }],
        nodeInfo: {
          osImage: `Ubuntu 24.04 ${secret}`,
          kernelVersion: `6.1.0-${secret}`,
          kubeletVersion: `v1.36.0-${secret}`,
          containerRuntimeVersion: `containerd://2.1.4-${secret}`,
        },
      },
      featureGates: { [secret]: true },
      [secret]: { a: 41111111111 },
      gitVersion: '10.0.0.5',
    });
    const redactor = plainRedactor();
    const once = redactKubeJson(text, redactor);
    assert.doesNotMatch(once, /hunter2|41111111111|10\.0\.0\.5/i);
    for (const kept of ['Ubuntu 24.04', '6.1.0', 'v1.36.0', 'containerd://2.1.4'])
      assert.ok(once.includes(`"${kept}"`), kept);
    assert.equal(redactKubeJson(once, redactor), once, 'twice');
  });

  it('of thousands of levels is left out', () => {
    const deep = (field: string): string => `{"kind":"Pod","${field}":${'{"spec":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    for (const field of ['spec', 'unknownField'])
      assert.throws(() => redactKubeJson(deep(field), plainRedactor()), { message: 'JSON with more than 100 levels' });
  });

  it('of other kinds is left out', () => {
    const redactor = plainRedactor();
    for (const text of [
      '{"alice":{"role":"admin"}}',
      '{"kind":"Secret","data":{}}',
      '[1]',
      '{"kind":"List","items":[{"kind":"Tenant"}]}',
      '{"cut',
    ])
      assert.throws(() => redactKubeJson(text, redactor), { name: 'FormatError' }, text);
  });
});
