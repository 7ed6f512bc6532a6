import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aNode } from '../../../test/double/plan-facts.ts';
import { replaceCommand, fillProblem, printedCommands } from './distribution.ts';

/** What a node that was taken over may write about itself. */
const HOSTILE = ['-oProxyCommand=id', '10.0.0.1 -oProxyCommand=id', '$(id)', 'i-0abc;id', 'a\nb', "'"];

describe('the values of a command', () => {
  it('are those of an honest node', () => {
    for (const address of ['10.0.0.17', 'fd00::17', '::1', 'fe80::1%eth0', 'worker-1.example.org'])
      assert.equal(fillProblem('ssh root@{address} restart', aNode('worker-1', { address })), undefined, address);
    const onAws = aNode('worker-1', { providerId: 'aws:///eu-1a/i-0abc' });
    assert.equal(fillProblem('ssm {instance} {node}', onAws), undefined);
    assert.match(printedCommands(onAws, 'systemd').join('\n'), /--instance-ids i-0abc /);
  });

  it('cannot bring an option or a shell command with them', () => {
    for (const value of HOSTILE) {
      const node = aNode('worker-1', { address: value, providerId: `aws:///eu-1a/${value}` });
      assert.match(fillProblem('ssh {address} restart', node) ?? '', /its address is not fit for a command/, value);
      assert.match(fillProblem('ssm {instance}', node) ?? '', /its provider id is not fit for a command/, value);
      assert.equal(fillProblem('ssh {node} restart', node), undefined);
      const printed = [...printedCommands(node, 'systemd'), replaceCommand(node)].join('\n');
      assert.ok(!printed.includes(value), printed);
    }
  });

  it('are there', () => {
    const node = aNode('worker-1', { providerId: '' });
    assert.match(fillProblem('ssm {instance}', node) ?? '', /it has nothing for \{instance\}/);
  });
});
