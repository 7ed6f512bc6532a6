import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { AffectedRange } from './known-leak.ts';
import { affectedBy, compareVersions, formatVersion, parseVersion, type Version } from './version.ts';

const parse = (text: string): Version => {
  const version = parseVersion(text);
  assert.ok(version, text);
  return version;
};

describe('parseVersion', () => {
  for (const [text, base, vendor] of [
    ['v1.36.0', 'v1.36.0', ''],
    ['v1.36.0-do.1', 'v1.36.0', 'do.1'],
    ['1.29.4-gke.1043002', 'v1.29.4', 'gke.1043002'],
    ['v1.30.2-eks-1552ad0', 'v1.30.2', 'eks-1552ad0'],
    ['v1.31.3+k3s1', 'v1.31.3', 'k3s1'],
    ['v1.31.3+rke2r1', 'v1.31.3', 'rke2r1'],
    ['v1.29.7+4510e9c', 'v1.29.7', '4510e9c'],
    ['v1.36.0-rc.1', 'v1.36.0-rc.1', ''],
    ['v1.36.0-alpha.3', 'v1.36.0-alpha.3', ''],
    ['v1.36.0-beta.0', 'v1.36.0-beta.0', ''],
    ['v1.33.0-rc.1-gke.5', 'v1.33.0-rc.1', 'gke.5'],
    ['v1.36.0-beta.0.123+0123abcd', 'v1.36.0-beta.0.123', '0123abcd'],
    ['v1.28.0-alphabet', 'v1.28.0', 'alphabet'],
    ['v0.32.0', 'v0.32.0', ''],
    ['1.27+', 'v1.27', ''],
    ['5.15.0-1034-aws', 'v5.15.0', '1034-aws'],
    ['5.10.226-214.879.amzn2.x86_64', 'v5.10.226', '214.879.amzn2.x86_64'],
  ]) {
    it(text, () => {
      assert.equal(formatVersion(parse(text)), base);
      assert.equal(parse(text).vendor, vendor);
    });
  }

  it('refuses what is no version', () => {
    for (const text of ['', 'v', 'v1', 'latest', '1.x.3', 'v1.36.0do', '1.', '1.2.', '-1.2.3']) {
      assert.equal(parseVersion(text), undefined, text);
    }
  });
});

const small = fc.nat({ max: 4 });
const preRelease = fc.constantFrom('', '-alpha.0', '-alpha.3', '-alpha.3.12', '-beta.0', '-rc.0', '-rc.1', '-rc.10');
const vendor = fc.constantFrom('', '-do.1', '-gke.1043002', '-eks-1552ad0', '+k3s1', '+rke2r1', '+0a1b2c3');
const base = fc.tuple(small, small, small, preRelease).map(([a, b, c, pre]) => `v${a}.${b}.${c}${pre}`);

describe('compareVersions', () => {
  it('is a total order', () => {
    fc.assert(
      fc.property(base, base, base, (a, b, c) => {
        const [x, y, z] = [a, b, c].map(parse);
        assert.equal(Math.sign(compareVersions(x, y)), -Math.sign(compareVersions(y, x)) + 0);
        if (compareVersions(x, y) <= 0 && compareVersions(y, z) <= 0) assert.ok(compareVersions(x, z) <= 0);
        assert.equal(compareVersions(x, y) === 0, a === b);
      }),
    );
  });

  it('takes a vendor build for its base', () => {
    fc.assert(fc.property(base, vendor, (a, mark) => assert.equal(compareVersions(parse(a + mark), parse(a)), 0)));
  });

  it('puts a pre-release before its release, and rc.10 after rc.9', () => {
    const inOrder = [
      '1.36.0-alpha.3',
      '1.36.0-beta.0',
      '1.36.0-rc.0',
      '1.36.0-rc.9',
      '1.36.0-rc.10',
      '1.36.0',
      '1.36.1',
    ];
    const shuffled = [...inOrder].reverse().sort((a, b) => compareVersions(parse(a), parse(b)));
    assert.deepEqual(shuffled, inOrder);
  });
});

describe('affectedBy', () => {
  const lines: readonly AffectedRange[] = [
    { from: '', fixed: '1.24.14' },
    { from: '1.25.0', fixed: '1.25.10' },
    { from: '1.26.0', fixed: '1.26.5' },
    { from: '1.27.0', fixed: '1.27.2' },
  ];
  const leak = { affected: lines, fixedIn: ['1.24.14', '1.25.10', '1.26.5', '1.27.2', '1.28.0'] };
  const context = {
    affected: [
      { from: '1.36.0-beta.0', fixed: '1.36.3' },
      { from: '1.37.0-alpha.0', fixed: '1.37.0-alpha.3' },
    ],
    fixedIn: ['1.36.3', '1.37.0'],
  };

  for (const [version, verdict] of [
    ['v1.22.0', 'affected'],
    ['v1.24.13-eks-a59e1f0', 'affected'],
    ['v1.24.14', 'fixed'],
    ['v1.25.9', 'affected'],
    ['v1.25.10', 'fixed'],
    ['1.26.4-gke.1400', 'affected'],
    ['v1.27.2+k3s1', 'fixed'],
    ['v1.28.0', 'fixed'],
    ['v1.27', 'unknown'],
    ['v1.28', 'fixed'],
    ['', 'unknown'],
    ['nightly', 'unknown'],
    ['v0.0.0-master+$Format:%H$', 'unknown'],
  ]) {
    it(`four lines: ${version || '(none)'} is ${verdict}`, () => {
      const judgement = affectedBy(leak, version);
      assert.equal(judgement.verdict, verdict);
      assert.notEqual(judgement.why, '');
    });
  }

  for (const [version, verdict] of [
    ['v1.35.8', 'not-affected'],
    ['v1.36.0-alpha.2', 'not-affected'],
    ['v1.36.0-beta.0', 'affected'],
    ['v1.36.0', 'affected'],
    ['v1.36.1-do.1', 'affected'],
    ['v1.36.3', 'fixed'],
    ['v1.37.0-alpha.1', 'affected'],
    ['v1.37.0-alpha.3', 'fixed'],
    ['v1.37.0-rc.1', 'fixed'],
  ]) {
    it(`contexts: ${version} is ${verdict}`, () => assert.equal(affectedBy(context, version).verdict, verdict));
  }

  it('does not guess for a pre-release of the version that brought the fix', () => {
    const fixedInMinor = { affected: [{ from: '', fixed: '1.37.0' }], fixedIn: ['1.37.0'] };
    assert.equal(affectedBy(fixedInMinor, 'v1.37.0-rc.1').verdict, 'unknown');
    assert.equal(affectedBy(fixedInMinor, 'v1.36.0-rc.1').verdict, 'affected');
  });

  it('needs no version where nothing is fixed, and knows nothing without ranges', () => {
    assert.equal(affectedBy({ affected: [{ from: '', fixed: '' }], fixedIn: [] }, '').verdict, 'affected');
    assert.equal(affectedBy({ affected: [], fixedIn: [] }, 'v1.30.0').verdict, 'unknown');
  });
});
