import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { approvalNamespace, whyNotNow } from './cluster-rules.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const windows = (text: string, when: string): string | undefined => whyNotNow({ 'oakum.dev/windows': text }, at(when));

describe('the rules of a cluster', () => {
  it('allow everything where none is set', () => {
    assert.equal(whyNotNow({}, at('2026-11-19T12:00:00Z')), undefined);
    assert.equal(windows(' ', '2026-11-19T12:00:00Z'), undefined);
  });

  it('pause, with the reason', () => {
    assert.match(whyNotNow({ 'oakum.dev/pause': 'freeze until Monday' }, 0) ?? '', /paused .*: freeze until Monday$/);
  });

  it('open windows by day, hour and zone, past midnight too', () => {
    // A Thursday.
    const cases: readonly [string, string, boolean][] = [
      ['Mon-Fri 22:00-05:00', '2026-11-19T23:00:00Z', true],
      ['Mon-Fri 22:00-05:00', '2026-11-19T21:59:59Z', false],
      ['Mon-Fri 22:00-05:00', '2026-11-20T04:59:00Z', true],
      ['Mon-Fri 22:00-05:00', '2026-11-20T05:00:00Z', false],
      ['Mon-Fri 22:00-05:00', '2026-11-21T04:00:00Z', true],
      ['Mon-Fri 22:00-05:00', '2026-11-22T04:00:00Z', false],
      ['Sat,Sun 00:00-24:00', '2026-11-21T23:59:00Z', true],
      ['Sat,Sun 00:00-24:00', '2026-11-20T23:59:00Z', false],
      ['Mon-Fri 22:00-05:00; Sat,Sun 00:00-24:00', '2026-11-21T12:00:00Z', true],
      ['22:00-23:00 Europe/Berlin', '2026-11-19T21:30:00Z', true],
      ['22:00-23:00 Europe/Berlin', '2026-07-19T21:30:00Z', false],
      ['Fri-Mon 08:00-09:00', '2026-11-23T08:30:00Z', true],
    ];
    for (const [text, when, isOpen] of cases)
      assert.equal(windows(text, when) === undefined, isOpen, `${text} at ${when}: ${windows(text, when)}`);
    assert.match(windows('Mon 08:00-09:00', '2026-11-19T12:00:00Z') ?? '', /it is 2026-11-19T12:00:00Z, outside of/);
  });

  it('are closed if they cannot be read', () => {
    for (const text of [
      'always',
      'Mon-Fri',
      'Mo 08:00-09:00',
      '25:00-26:00',
      '08:61-09:00',
      '08:00-09:00 Mars/One',
      'Mon--Fri 08:00-09:00',
    ])
      assert.match(
        windows(text, '2026-11-19T08:30:00Z') ?? '',
        /cannot be read; write it as Mon-Fri 22:00-05:00/,
        text,
      );
  });

  it('say where approvals are', () => {
    assert.equal(approvalNamespace({}), undefined);
    assert.equal(approvalNamespace({ 'oakum.dev/approval': 'oakum' }), 'oakum');
  });
});
