import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProfileBuilder } from '../../profile-builder.ts';
import { withFakeMapping } from '../transform/fake-mapping.ts';
import { rawReport, rawReportChunks } from './raw.ts';

describe('rawReport', () => {
  it('prints every field', () => {
    const b = new ProfileBuilder([
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ]);
    b.addMapping({ start: 0x1000n, limit: 0xffffffffffffffffn, file: '/bin/x', buildId: 'id', hasFunctions: true });
    const inner = b.internFunction('inner', 'in.go', 'sys.inner', 3);
    const outer = b.internFunction('outer', 'out.go');
    b.addLocation({
      mapping: 0,
      address: 0xffffffffffffffffn,
      isFolded: true,
      lines: [{ fn: inner, line: 4, column: 2 }, { fn: outer, line: 9223372036854775807n }, { fn: -1 }],
    });
    b.addLocation({ id: 1234567n });
    b.addSample(
      [0, 1, 0],
      [1, -9223372036854775808n],
      [
        { key: 'b', str: 'two' },
        { key: 'a', str: 'one' },
        { key: 'b', str: 'three' },
        { key: 'size', num: 5 },
        { key: 'size', num: 7, unit: 'kb' },
        { key: 'other', num: -1 },
      ],
    );
    b.addSample([], [0, 0]);
    const profile = b.finish({
      comments: ['first', 'second'],
      docUrl: 'http://doc',
      defaultSampleType: 'cpu',
      periodType: { type: 'cpu', unit: 'nanoseconds' },
      period: 10n,
      durationNanos: 3_723_500_000_000n,
    });
    assert.equal(
      rawReport(profile),
      [
        'Comment: first',
        'Comment: second',
        'Doc: http://doc',
        'PeriodType: cpu nanoseconds',
        'Period: 10',
        'Duration: 1h2m',
        'Samples:',
        'samples/count cpu/nanoseconds[dflt]',
        '          1 -9223372036854775808: 1 1234567 1 ',
        '                a:[one] b:[two three]',
        '                other:[-1] size:[5  7 kb]',
        '          0          0: ',
        'Locations',
        '     1: 0xffffffffffffffff M=1 [F] inner in.go:4:2 s=3(sys.inner)',
        '             outer out.go:9223372036854775807:0 s=0',
        '             ??',
        '1234567: 0x0 ',
        'Mappings',
        '1: 0x1000/0xffffffffffffffff/0x0 /bin/x id [FN]',
        '',
      ].join('\n'),
    );
  });

  it('prints the period type, empty or not, as pprof does', () => {
    const profile = new ProfileBuilder([{ type: 'x', unit: 'y' }]).finish();
    assert.equal(rawReport(profile), 'PeriodType:  \nPeriod: 0\nSamples:\nx/y\nLocations\nMappings\n');
  });

  it('comes in pieces that add up to the whole report', () => {
    const b = new ProfileBuilder([{ type: 'x', unit: 'y' }]);
    for (let i = 0; i < 10_000; i++) b.addSample([b.addLocation({ address: BigInt(i) })], [i]);
    const profile = b.finish();
    const chunks = [...rawReportChunks(profile)];
    assert.ok(chunks.length > 3);
    assert.equal(chunks.join(''), rawReport(profile));
    assert.equal(rawReport(profile).split('\n').length, 20_007);
  });
});

describe('withFakeMapping', () => {
  it('adds a mapping to a profile without one', () => {
    const b = new ProfileBuilder([{ type: 'x', unit: 'y' }]);
    b.addLocation({ address: 1n });
    const profile = withFakeMapping(b.finish());
    assert.match(rawReport(profile), /1: 0x1 M=1 \nMappings\n1: 0x0\/0x0\/0x0 {3}\n$/);
    assert.equal(withFakeMapping(profile), profile);
  });
});
