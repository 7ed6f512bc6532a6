/**
 * One leaking program built with every Go release, in three formats: the same families, with the counts it was built
 * for.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECORDINGS } from '../../../test/places.ts';
import { readProfileFile } from '../../evidence/io/read-profile.ts';
import type { FamilyCount, FamilyTable } from './family.ts';
import { goroutineDumpToProfile } from '../formats/goroutine-text/to-profile.ts';
import { creationTree } from './creation-tree.ts';
import { familiesOfDump } from './dump-families.ts';
import { familiesOfHeap } from './heap-families.ts';
import { joinLabels } from './join-labels.ts';
import { ownerOf } from '../../knowledge/owner-of.ts';
import { familiesOfGoroutineProfile } from './profile-families.ts';
import { countLabels } from './label-report.ts';

const fixtures = fileURLToPath(new URL('../../../test/fixtures/captures/leakdemo/', import.meta.url));

const RELEASES = ['go1.19', 'go1.23', 'go1.26', 'go1.26-leakexp-labels', 'go1.27'];
const FORMATS = ['debug0.pb.gz', 'debug1.txt', 'debug2.txt'];

async function goroutines(path: string): Promise<FamilyTable> {
  const { dump, profile } = await readProfileFile(path);
  return dump === undefined ? familiesOfGoroutineProfile(profile) : familiesOfDump(dump);
}

function named(table: FamilyTable, name: string): FamilyCount {
  const found = table.counts.filter(({ family }) => family.frames.includes(name));
  assert.equal(found.length, 1, name);
  return found[0];
}

/** Goroutines per family after rounds 0..r, by the function they are stuck in. */
function truth(round: number): Record<string, number> {
  const rounds = Array.from({ length: round + 1 }, (_, r) => 5 * (r + 1)).reduce((a, b) => a + b, 0);
  return {
    'main.(*listener).pop': 3 * rounds,
    'main.(*listener).run': 3 * rounds,
    'main.leakSend': rounds,
    'main.leakRecv': rounds + round + 1,
    'main.leakSelect': rounds,
    'main.leakNil': round + 1,
    'main.leakMutex': round + 1,
    'main.leakRW': round + 1,
    'main.leakWG': round + 1,
    'main.leakCond': round + 1,
    'main.leakEmpty': round + 1,
  };
}

const HEALTHY = 7;

function checkTruth(table: FamilyTable, round: number): void {
  const expected = truth(round);
  let leaked = 0;
  for (const [name, count] of Object.entries(expected)) {
    assert.equal(named(table, name).count, count, name);
    leaked += count;
  }
  assert.equal(table.total - leaked, HEALTHY);
  assert.equal(
    table.counts.reduce((sum, { count }) => sum + count, 0),
    table.total,
  );
}

function checkLabels(table: FamilyTable, round: number): void {
  const { rows, labelled, total } = countLabels(table, ['controller', 'logicalcluster']);
  assert.equal(total, table.total);
  assert.equal(labelled, [30, 90, 180, 300][round]);
  assert.equal(rows.length, 3 * (round + 1));
  for (const { values, count } of rows) {
    const cluster = Number(values[1].slice(2));
    assert.equal(values[0], 'kcp-kube-quota');
    assert.equal(count, 10 * (Math.floor(cluster / 3) + 1), values[1]);
  }
  assert.equal(countLabels(table, ['odd key']).labelled, round + 1);
}

describe('leakdemo at t3', () => {
  test('has the same families with the same ids in every release and format', async () => {
    let first: string | undefined;
    for (const release of RELEASES) {
      for (const format of FORMATS) {
        const table = await goroutines(`${fixtures}${release}/t3/goroutine.${format}`);
        assert.equal(table.total, 485);
        checkTruth(table, 3);
        const hasLabels = !format.startsWith('debug2') || release === 'go1.27' || release.endsWith('labels');
        if (hasLabels) checkLabels(table, 3);
        const ids = JSON.stringify(table.counts.map(({ family, count }) => [family.id, family.frames, count]));
        assert.equal(ids, (first ??= ids), `${release} ${format}`);
      }
    }
  });

  test('has the same places in every release and format, and those of go statements', async () => {
    for (const release of RELEASES) {
      for (const format of FORMATS) {
        const table = await goroutines(`${fixtures}${release}/t3/goroutine.${format}`);
        const pop = named(table, 'main.(*listener).pop');
        assert.equal(pop.places[pop.family.frames.indexOf('main.(*listener).pop')], 'leakdemo/main.go:22', format);
        const creator = 'main.(*informer).AddEventHandler';
        const started = format === 'debug2.txt' ? 'leakdemo/main.go:35' : undefined;
        assert.equal(pop.creatorPlaces.get(creator), started, format);
        for (const { family, places } of table.counts) assert.equal(places.length, family.frames.length);
      }
    }
  });

  test('has the same wait reasons in old and new releases', async () => {
    const states = async (release: string): Promise<string> => {
      const { counts } = await goroutines(`${fixtures}${release}/t3/goroutine.debug2.txt`);
      return JSON.stringify(counts.map(({ family, states }) => [family.id, family.title, [...states]]));
    };
    const oldest = await states('go1.19');
    for (const release of RELEASES) assert.equal(await states(release), oldest, release);
    for (const reason of ['sync.Mutex.Lock', 'sync.RWMutex.RLock', 'sync.WaitGroup.Wait', 'select (no cases)']) {
      assert.match(oldest, new RegExp(reason.replace(/[().]/g, '\\$&')));
    }
    assert.doesNotMatch(oldest, /semacquire/);
  });

  test('finds creators, leaks, examples and titles', async () => {
    const table = await goroutines(`${fixtures}go1.27/t3/goroutine.debug2.txt`);
    const pop = named(table, 'main.(*listener).pop');
    assert.equal(pop.family.title, 'main.(*listener).pop ← chan receive');
    assert.deepEqual([...pop.creators], [['main.(*informer).AddEventHandler', 150]]);
    assert.match(pop.example[0], /^main\.\(\*listener\)\.pop \S+:\d+$/);
    assert.deepEqual(ownerOf(pop.family, pop.labelSets), { name: 'kcp-kube-quota', inferred: false });
    assert.deepEqual(ownerOf(pop.family), { name: 'main', inferred: true });
    const leak = await goroutines(`${fixtures}go1.27/t3/goroutineleak.debug2.txt`);
    const leak1 = await goroutines(`${fixtures}go1.27/t3/goroutineleak.debug1.txt`);
    const leak0 = await goroutines(`${fixtures}go1.27/t3/goroutineleak.debug0.pb.gz`);
    for (const { counts } of [leak, leak1, leak0]) {
      assert.equal(
        counts.reduce((sum, { leaked }) => sum + leaked, 0),
        177,
      );
    }
    const waited = await goroutines(`${fixtures}go1.27/t_wait/goroutine.debug2.txt`);
    assert.deepEqual(named(waited, 'main.(*listener).pop').waitMinutes, { median: 2, max: 2 });
    assert.equal(named(table, 'main.(*listener).pop').waitMinutes, undefined);
  });

  test('reads a converted debug=2 dump like the dump itself', async () => {
    const { dump } = await readProfileFile(`${fixtures}go1.27/t_wait/goroutine.debug2.txt`);
    const direct = familiesOfDump(dump!);
    const converted = familiesOfGoroutineProfile(goroutineDumpToProfile(dump!));
    // A profile has no goroutine ids, so it lists no waits; nor has it the lines of go statements.
    const plain = (table: FamilyTable): unknown =>
      table.counts.map(({ example: _, waits: __, creatorPlaces: ___, labelSets, ...rest }) => ({
        ...rest,
        states: [...rest.states],
        creators: [...rest.creators].sort(),
        labelSets: labelSets.map(set => JSON.stringify(set)).sort(),
      }));
    assert.deepEqual(plain(converted), plain(direct));
  });

  test('joins the labels of debug=1 onto debug=2', async () => {
    const { dump: debug2 } = await readProfileFile(`${fixtures}go1.23/t3/goroutine.debug2.txt`);
    const { dump: debug1 } = await readProfileFile(`${fixtures}go1.23/t3/goroutine.debug1.txt`);
    const joined = joinLabels(debug2!, debug1!);
    // Twelve clusters share two stacks; leakRecv is half labelled.
    assert.equal(joined.totals.ambiguous, 354);
    assert.equal(joined.totals.exact, 131);
    assert.equal(joined.totals.unknown, 0);
    const pop = joined.groups.find(({ count, grade }) => count === 150 && grade === 'ambiguous')!;
    assert.equal(pop.candidates.length, 12);
    const { dump: labelled } = await readProfileFile(`${fixtures}go1.27/t3/goroutine.debug2.txt`);
    const { dump: labelled1 } = await readProfileFile(`${fixtures}go1.27/t3/goroutine.debug1.txt`);
    const own = joinLabels(labelled!, labelled1!);
    assert.equal(own.labels.filter(set => set !== 0).length, 304);
  });

  test('finds which goroutine started which', async () => {
    const { dump } = await readProfileFile(`${fixtures}go1.27/t3/goroutine.debug2.txt`);
    const tree = creationTree(dump!);
    const main = tree.parents.find(({ goroutine }) => goroutine === 1)!;
    assert.equal(tree.total, 485);
    assert.ok(main.alive && main.parent === undefined);
    assert.equal(tree.withoutParent, 1);
    assert.equal(
      tree.parents.reduce((sum, { children }) => sum + children, 0),
      484,
    );
    const { dump: old } = await readProfileFile(`${fixtures}go1.19/t3/goroutine.debug2.txt`);
    assert.deepEqual(creationTree(old!).parents, []);
  });
});

describe('the dump of a dying leakdemo', () => {
  for (const release of RELEASES.filter(release =>
    existsSync(`${RECORDINGS}captures/leakdemo/${release}/sigquit.txt`),
  )) {
    test(`has the families of debug=2: ${release}`, async () => {
      const at = `${RECORDINGS}captures/leakdemo/${release}/`;
      const [dying, live] = [await goroutines(`${at}sigquit.txt`), await goroutines(`${at}t3/goroutine.debug2.txt`)];
      for (const name of Object.keys(truth(3))) {
        assert.equal(named(dying, name).family.id, named(live, name).family.id, name);
      }
    });
  }
});

describe('every round of leakdemo', () => {
  for (const release of RELEASES) {
    test(release, async () => {
      for (const round of [0, 1, 2, 3]) {
        for (const format of FORMATS) {
          const table = await goroutines(`${RECORDINGS}captures/leakdemo/${release}/t${round}/goroutine.${format}`);
          checkTruth(table, round);
          if (!format.startsWith('debug2')) checkLabels(table, round);
        }
      }
    });
  }
});

describe('the heap of leakdemo', () => {
  test('has the same families in every release, from protobuf and from text', async () => {
    const ids = new Set<string>();
    for (const release of ['go1.19', 'go1.23', 'go1.26', 'go1.27']) {
      const at = `${RECORDINGS}captures/leakdemo/${release}/t3/heap.`;
      const binary = familiesOfHeap((await readProfileFile(`${at}debug0.pb.gz`)).profile);
      const text = familiesOfHeap((await readProfileFile(`${at}debug1.txt`)).profile);
      const plain = ({ counts }: FamilyTable): unknown => counts.map(({ family, bytes }) => [family.id, bytes]);
      assert.deepEqual(plain(text), plain(binary));
      const [contexts, cached] = binary.counts;
      assert.equal(contexts.family.title, 'main.startPodSync → context.WithCancel');
      assert.equal(cached.family.title, 'main.cacheObject');
      // 200,000 contexts, each with an object and an entry in the parent's map.
      assert.ok(Math.abs(contexts.count - 400_000) < 20_000);
      assert.ok(contexts.samples > 1000);
      ids.add(`${contexts.family.id} ${cached.family.id}`);
    }
    assert.equal(ids.size, 1);
  });
});

describe('a 1.36 kubelet that leaks contexts', () => {
  test('shows the line of the owner and of every call below it', async () => {
    const { profile } = await readProfileFile(`${RECORDINGS}lab/leak-a/profiles/heap-1794774072.pb.gz`);
    const { counts } = familiesOfHeap(profile);
    const sync = counts.find(
      ({ family }) => family.title === 'kubelet.(*podWorkers).startPodSync → context.WithCancel',
    );
    assert.equal(sync?.places.at(-1), 'k8s.io/kubernetes/pkg/kubelet/pod_workers.go:1155');
    assert.ok(counts.every(({ family, places }) => places.length === family.frames.length));
  });

  test('has a startPodSync family that grows, with its standard error', async () => {
    const at = async (time: number): Promise<FamilyTable> =>
      familiesOfHeap((await readProfileFile(`${RECORDINGS}lab/leak-a/profiles/heap-${time}.pb.gz`)).profile);
    const name = 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync';
    const tables = [await at(1794772045), await at(1794773125), await at(1794774072)];
    const family = tables.map(table => table.counts.find(({ family: { frames } }) => frames.at(-1) === name)!);
    assert.equal(new Set(family.map(({ family: { id } }) => id)).size, 1);
    assert.equal(family[2].family.title, 'kubelet.(*podWorkers).startPodSync → context.WithCancel');
    assert.ok(family[2].family.frames.includes('context.(*cancelCtx).propagateCancel'));
    assert.ok(family[0].bytes < family[1].bytes && family[1].bytes < family[2].bytes);
    assert.equal(family[2].samples, 15);
    assert.ok(family[2].bytesError > 1e6 && family[2].bytesError < 4e6);
    assert.equal(ownerOf(family[2].family).name, 'kubelet pod workers');
    for (const table of tables) {
      assert.equal(
        table.counts.reduce((sum, { bytes }) => sum + bytes, 0),
        table.total,
      );
    }
  });

  test('is named after the code that started it if the stack is all in shared packages', async () => {
    const table = await goroutines(`${RECORDINGS}lab/leak-a/profiles/goroutine-d2-1794774072.txt.gz`);
    const jitter = table.counts.find(({ family }) => family.title === 'wait.JitterUntilWithContext ← select')!;
    assert.deepEqual(ownerOf(jitter.family, [], jitter.creators), {
      name: 'kubelet volume statistics',
      inferred: true,
    });
    const mixed = table.counts.find(({ family }) => family.title === 'wait.UntilWithContext ← select')!;
    assert.equal(ownerOf(mixed.family, [], mixed.creators).name, 'k8s.io/apimachinery/pkg/util/wait');
  });

  test('has the same goroutine families in three formats', async () => {
    for (const component of ['kube-apiserver', 'kube-controller-manager']) {
      const at = `${RECORDINGS}lab/control-plane/end/${component}-goroutine`;
      const tables = [
        await goroutines(`${at}.pb.gz`),
        await goroutines(`${at}-d1.txt.gz`),
        await goroutines(`${at}-d2.txt.gz`),
      ];
      const ids = tables.map(({ counts }) => new Set(counts.map(({ family }) => family.id)));
      // The dumps were taken one after the other: a goroutine may come or go in between.
      for (const other of ids) assert.ok([...ids[0]].filter(id => !other.has(id)).length <= 1, component);
    }
  });
});
