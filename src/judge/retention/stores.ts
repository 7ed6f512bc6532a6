/**
 * Code that keeps by design, as data: keeping everything says nothing about it. A second profile or metrics show
 * whether it still grows.
 */
import { functionOf, packageOf } from '../../profile/go-name/normalise.ts';

interface StoreRule {
  /** Any frame from the allocation to its owner. */
  readonly frame: RegExp;
  readonly store: string;
}

const RULES: readonly StoreRule[] = [
  { frame: /^k8s\.io\/client-go\/tools\/cache\./, store: 'the store of an informer' },
  { frame: /^k8s\.io\/(?:apimachinery\/pkg|client-go\/rest)\/watch\./, store: 'objects of a watch, as informers keep' },
  { frame: /^k8s\.io\/apiserver\/pkg\/storage\//, store: 'the watch cache of an API server' },
  { frame: /^github\.com\/prometheus\/(?:prometheus\/)?tsdb[./]/, store: 'the head of a time series database' },
  { frame: /^github\.com\/prometheus\/prometheus\/model\/labels\./, store: 'the series of a time series database' },
  {
    frame: /^go\.etcd\.io\/etcd\/(?:server\/)?(?:v3\/)?(?:storage\/)?mvcc[./]/,
    store: 'the key index and watchers of etcd',
  },
  { frame: /^go\.etcd\.io\/.*etcdserverpb\.\(\*InternalRaftRequest\)\.Marshal/, store: 'the raft log of etcd' },
  { frame: /^go\.etcd\.io\/(?:etcd\/)?raft[./]/, store: 'a raft log' },
  { frame: /^go\.etcd\.io\/bbolt\./, store: 'pages of a database' },
  {
    frame:
      /^github\.com\/(?:hashicorp\/golang-lru|golang\/groupcache|dgraph-io\/ristretto|allegro\/bigcache|coocood\/freecache|patrickmn\/go-cache)[./]/,
    store: 'a bounded cache',
  },
];

/** Words in the name of a function, its type or its package. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['cache', 'caches', 'cached', 'caching', 'lru'].map(word => [word, 'a cache, by its name'] as const),
  ...['store', 'stores', 'storage', 'tsdb'].map(word => [word, 'a store, by its name'] as const),
  ...['indexer', 'informer', 'interner', 'arena'].map(word => [word, `an ${word}, by its name`] as const),
]);

/** Why these frames keep by design, in words; null if no reason is known. */
export function storeOf(frames: readonly string[]): string | null {
  if (frames.every(frame => packageOf(frame) === 'runtime')) return 'memory of the Go runtime, which reuses it';
  for (const { frame: pattern, store } of RULES) if (frames.some(frame => pattern.test(frame))) return store;
  for (const frame of frames) {
    const store = wordsOf(frame)
      .map(word => WORDS.get(word))
      .find(one => one !== undefined);
    if (store !== undefined) return store;
  }
  return null;
}

/** `example.com/x/podcache.(*fileStore).fillAll` as `podcache file store fill all`. */
function wordsOf(frame: string): string[] {
  const path = packageOf(frame);
  // sync.Pool and sync.Map are not stores of their own.
  if (path === 'sync') return [];
  const last = path.slice(path.lastIndexOf('/') + 1);
  const spaced = `${last} ${functionOf(frame)}`
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return spaced.toLowerCase().split(/[^\p{L}\d]+/u);
}
