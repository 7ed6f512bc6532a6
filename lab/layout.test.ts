import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { certificateOrders } from './certificates.ts';
import { commandLine, processNames } from './command-lines.ts';
import { environmentOf } from './environment.ts';
import type { LabState } from './layout.ts';
import { freeSubnet } from './network.ts';
import { readNodeSet } from './node-set.ts';
import { PROGRAMS } from './programs.ts';

const LAB: LabState = {
  folder: '/lab',
  subnet: 3,
  expiresAt: '2030-01-01T00:00:00.000Z',
  nodes: readNodeSet(
    JSON.stringify([
      { name: 'one', version: '1.36.0', pods: 1 },
      { name: 'two', version: '1.36.3', pods: 1, servingCertificate: 'self-signed', debuggingHandlers: false },
    ]),
    'test',
  ),
  programs: Object.fromEntries(Object.keys(PROGRAMS).map(name => [name, `/bin/${name}`])),
};

describe('layout', () => {
  it('gives every node its own address, and certificates that name it', () => {
    const urls = environmentOf(LAB).nodes.map(node => node.url);
    assert.deepEqual(urls, ['https://198.18.3.11:10250', 'https://198.18.3.12:10250']);
    const two = certificateOrders(LAB).find(order => order.name === 'node-two');
    assert.deepEqual(two?.addresses, ['198.18.3.12']);
    assert.equal(two?.commonName, 'system:node:two');
  });

  it('has a program for every process', () => {
    for (const name of processNames(LAB)) assert.match(commandLine(LAB, name)?.[0] ?? 'none', /^\/bin\//, name);
    assert.equal(commandLine(LAB, 'three'), undefined);
  });

  it("passes a node's settings on", () => {
    const [one, two] = ['one', 'two'].map(name => commandLine(LAB, name)!);
    assert.equal(one[0], '/bin/kubelet-1.36.0');
    assert.ok(one.includes('-tls-cert=/lab/pki/node-one.crt'));
    assert.ok(two.includes('-debugging-handlers=false'));
    assert.ok(!two.some(argument => argument.startsWith('-tls-cert')));
  });

  it('uses the first free network', () => {
    assert.equal(freeSubnet([]), 0);
    assert.equal(freeSubnet(['198.18.0.1', '198.18.1.7', '198.18.10.1', '127.0.0.1']), 2);
  });
});
