import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readAny } from '../../evidence/formats/read.ts';
import type { FamilyCount, HeapAmount, HeapSite } from '../../profile/families/family.ts';
import { familiesOfHeap } from '../../profile/families/heap-families.ts';
import { isRetained, keptSites, retentionOf, isOneTime, amountInterval, storeOf } from './retention-of.ts';
import { incompleteBeta, shareInterval } from '../growth/share-interval.ts';
import { newRetention } from './heap-retention.ts';

const ROOT = new URL('../../..', import.meta.url);

function families(path: string): readonly FamilyCount[] {
  const { profile } = readAny(gunzipSync(readFileSync(new URL(path, ROOT))));
  return familiesOfHeap(profile).counts;
}

function familyOf(path: string, title: RegExp): FamilyCount {
  const found = families(path).find(({ family }) => title.test(family.title));
  assert.ok(found, `${path}: ${title}`);
  return found;
}

/** Objects of 512 bytes at the default rate: one sample counts as about 1,024 objects, half a mebibyte. */
function amount(samples: number): HeapAmount {
  const bytes = samples * 524_544;
  return { samples, bytes, objects: samples * 1024.5, variance: samples * 524_544 ** 2 };
}

function site(name: string, live: number, allocated: number, isInit = false): HeapSite {
  return { frames: [name, 'example.com/app.Owner'], live: amount(live), allocated: amount(allocated), isInit };
}

const countOf = (...sites: HeapSite[]): FamilyCount => ({ sites }) as unknown as FamilyCount;

describe('the interval of a share', () => {
  it('is exact if the distribution has a closed form', () => {
    for (const x of [0.01, 0.2, 0.5, 0.9, 0.999]) {
      assert.ok(Math.abs(incompleteBeta(x, 7, 1) - x ** 7) < 1e-12);
      assert.ok(Math.abs(incompleteBeta(x, 0.5, 0.5) - (2 / Math.PI) * Math.asin(Math.sqrt(x))) < 1e-12);
      assert.ok(Math.abs(incompleteBeta(x, 1, 300) - (1 - (1 - x) ** 300)) < 1e-12);
    }
  });

  it('contains the true share about as often as it claims', () => {
    // Every outcome of 30 trials, weighted by its probability.
    for (const share of [0.3, 0.5, 0.8, 0.95]) {
      let covered = 0;
      let chance = (1 - share) ** 30;
      for (let hits = 0; hits <= 30; hits++) {
        const [low, , high] = shareInterval(hits, 30);
        if (low <= share && share <= high) covered += chance;
        chance *= ((30 - hits) / (hits + 1)) * (share / (1 - share));
      }
      assert.ok(covered > 0.9 && covered < 0.99, `${share}: ${covered}`);
    }
  });

  it('needs nine of nine to be above 0.8', () => {
    assert.equal(isRetained(shareInterval(8, 8)), false);
    assert.equal(isRetained(shareInterval(9, 9)), true);
    assert.equal(isRetained(shareInterval(36, 40)), false);
    assert.deepEqual(shareInterval(0, 0), [0, 0, 1]);
    assert.deepEqual(shareInterval(0, 5).slice(0, 2), [0, 0]);
  });
});

describe('the interval of a sampled amount', () => {
  it('is that of a Poisson count', () => {
    const [low, middle, high] = amountInterval(10, 10);
    assert.equal(middle, 10);
    // The exact bounds for ten are 4.795 and 18.39.
    assert.ok(Math.abs(low - 4.795) < 0.05 && Math.abs(high - 18.39) < 0.05, `${low} ${high}`);
  });

  it('is empty if every allocation is sampled', () => {
    assert.deepEqual(amountInterval(5, 0), [5, 5, 5]);
  });
});

describe('retention', () => {
  it('is that of the sites that keep, if a family mixes', () => {
    const mixed = countOf(site('keep', 28, 28), site('done', 10, 10), site('free', 0, 60), site('once', 2, 2));
    const {
      retainedShare,
      samples,
      liveSamples,
      keptSites: kept,
      sites,
      perHour,
    } = retentionOf(mixed, {
      seconds: 1800,
      from: 'metrics',
    })!;
    assert.deepEqual([samples, liveSamples, kept, sites], [38, 38, 2, 4], 'two samples are too few to tell');
    assert.ok(retainedShare[0] > 0.94);
    assert.ok(perHour !== null && perHour[0] < perHour[1] && perHour[1] < perHour[2]);
    assert.ok(Math.abs(perHour[1] - 2 * 38 * 524_544) < 1);
  });

  it('is that of the whole family if it keeps as a whole, or not at all', () => {
    const small = countOf(...Array.from({ length: 12 }, (_, i) => site(`f${i}`, 1, 1)));
    assert.equal(retentionOf(small, undefined)?.keptSites, 12);
    const freed = retentionOf(countOf(site('a', 1, 50), site('b', 2, 40)), { seconds: 60, from: 'manifest' });
    assert.deepEqual([freed?.samples, freed?.liveSamples, freed?.keptSites, freed?.perHour], [90, 3, 0, null]);
  });

  it('leaves package initialisers and registrations aside', () => {
    const tables = countOf(site('table', 40, 40, true), site('free', 0, 30));
    assert.deepEqual(keptSites(tables.sites), []);
    assert.equal(retentionOf(tables, undefined)?.liveSamples, 0);
    assert.equal(retentionOf(countOf(site('table', 40, 40, true)), undefined)?.isOneTime, true);
    assert.ok(isOneTime(site('k8s.io/api/core/v1.addKnownTypes', 1, 1)));
    assert.ok(isOneTime(site('github.com/prometheus/client_golang/prometheus.MustRegister', 1, 1)));
    assert.equal(isOneTime(site('example.com/bus.(*Bus).Register', 1, 1)), false, 'listeners register, too');
  });

  it('between two profiles counts only new allocations', () => {
    const before = [site('keep', 100, 100), site('free', 5, 500)];
    const now = [site('keep', 120, 120), site('free', 4, 700)];
    const kept = newRetention(before, now.slice(0, 1), 60);
    assert.deepEqual([kept?.samples, kept?.seconds, kept?.retainedShare[1]], [20, 60, 1]);
    assert.equal(newRetention(before, now, 60)?.retainedShare[1], 19 / 220);
    assert.equal(newRetention(before, before, 60), undefined);
  });
});

describe('code that keeps by design', () => {
  it('is recognised by its package or by its name', () => {
    for (const frame of [
      'k8s.io/client-go/tools/cache.(*threadSafeMap).Add',
      'go.etcd.io/etcd/server/v3/storage/mvcc.(*treeIndex).Put',
      'go.etcd.io/etcd/api/v3/etcdserverpb.(*InternalRaftRequest).Marshal',
      'github.com/prometheus/prometheus/tsdb.newMemSeries',
      'main.fillCache',
      'example.com/x/fileStore.Open',
      'example.com/x.(*LRUCache).add',
    ])
      assert.notEqual(storeOf([frame]), null, frame);
    for (const frame of ['main.openSession', 'example.com/x.restore', 'sync.(*Map).Store', 'main.cachet'])
      assert.equal(storeOf([frame]), null, frame);
  });
});

describe('recorded profiles', () => {
  it('show the leak of a kubelet at the sites listed in the docs', () => {
    const contexts = familyOf('demo/leak-a/heap-1794774072.pb.gz', /PollUntilContextTimeout/);
    const retention = retentionOf(contexts, undefined);
    assert.deepEqual([retention?.liveSamples, retention?.samples], [38, 38]);
    assert.equal(retention?.liveObjects, retention?.allocatedObjects);
    assert.equal(retentionOf(familyOf('demo/leak-a/heap-1794774072.pb.gz', /startPodSync/), undefined)?.samples, 13);
  });

  it('show no site that keeps in a fixed kubelet', () => {
    for (const path of [
      'demo/fix-a/heap-1794774074.pb.gz',
      'demo/fix-b/heap-1794774075.pb.gz',
      'demo/fix-d/heap-1794774076.pb.gz',
    ])
      for (const { sites, family } of families(path)) assert.deepEqual(keptSites(sites), [], `${path} ${family.title}`);
  });

  it('recognise allocations of init by the stack, not by the name of a closure', () => {
    const buffers = familyOf('test/fixtures/captures/programs/leaker/heap.gc1.pb.gz', /io\.Copy/);
    assert.ok(buffers.sites[0].frames.includes('io.init'));
    assert.equal(buffers.sites[0].isInit, false);
    const tables = familyOf('demo/leak-a/heap-1794774072.pb.gz', /html/);
    assert.ok(tables.sites.every(isOneTime));
  });
});
