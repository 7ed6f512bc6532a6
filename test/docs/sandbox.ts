/**
 * The files that the examples use, in their own folder. A new example that reads another file needs a line here.
 *
 *     worker-17/                       profiles, dumps and metrics of a leaking kubelet, from demo/leak-a
 *     before/ after/                   worker-17/ at two times
 *     healthy/                         a heap profile of a healthy kubelet, from demo/fix-a
 *     heap.pb.gz goroutine.pb.gz ...   single captures, from test/fixtures
 *     scrapes/ heap.json pods.json ... two weeks of metrics (recorded-fleet.ts)
 *     rollout/ nodes.csv               a fleet in which some nodes get a leaking version (recorded-rollout.ts)
 *     fixed/ leaking/                  heap profiles of a fixed and of a leaking kubelet, from demo/
 *     issue.md                         what somebody wrote into an issue
 *     journal.json events.json ...     a kubelet that is killed (node-logs.ts)
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { ROOT } from './markdown.ts';
import { eventsJson, journalJson, journalText } from './node-logs.ts';
import { rangeAnswer, recordedScrapes } from './recorded-fleet.ts';
import { recordedRollout, rolloutAttributes } from './recorded-rollout.ts';

const CAPTURES = 'test/fixtures/captures/leakdemo/go1.27';
const FIRST = '1794772045';
const LAST = '1794774072';
/** Enough to prove the leak, few enough to be quick. */
const SET_TIMES: readonly string[] = [FIRST, '1794773125', LAST];

/** Name in the sandbox -> file of the repository. */
const COPIES: Readonly<Record<string, string>> = {
  'heap.pb.gz': `demo/leak-a/heap-${LAST}.pb.gz`,
  'heap-1.pb.gz': `demo/leak-a/heap-${FIRST}.pb.gz`,
  'heap-2.pb.gz': `demo/leak-a/heap-${LAST}.pb.gz`,
  'before.pb.gz': `demo/leak-a/heap-${FIRST}.pb.gz`,
  'after.pb.gz': `demo/leak-a/heap-${LAST}.pb.gz`,
  'goroutine.pb.gz': `${CAPTURES}/t3/goroutine.debug0.pb.gz`,
  'goroutine.txt': `${CAPTURES}/t3/goroutine.debug2.txt`,
  'mutex.pb.gz': `${CAPTURES}/t3/mutex.debug0.pb.gz`,
  'before-goroutine.pb.gz': `${CAPTURES}/t0/goroutine.debug0.pb.gz`,
  'healthy/heap.pb.gz': 'demo/fix-a/heap-1794774074.pb.gz',
  'our-leaks/client-go-workqueue-slice.yaml': 'src/knowledge/leaks/client-go-workqueue-slice.yaml',
};

export interface Sandbox {
  readonly folder: string;
  remove(): void;
}

/** Path in the sandbox -> content; made once, written for each page. */
let contents: Promise<ReadonlyMap<string, string | Uint8Array>> | undefined;

export async function makeSandbox(): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-docs-'));
  contents ??= makeContents();
  for (const [path, content] of await contents) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function makeContents(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>();
  const write = (path: string, content: string | Uint8Array): void => void files.set(path, content);
  for (const [path, source] of Object.entries(COPIES)) write(path, readFileSync(join(ROOT, source)));
  const leaking = evidenceOfWorker17();
  for (const [name, bytes] of leaking) write(`worker-17/${name}`, bytes);
  for (const [name, bytes] of leaking) {
    if (name.includes(FIRST)) write(`before/${name}`, bytes);
    if (name.includes(LAST)) write(`after/${name}`, bytes);
  }
  write('worker-17.tar.gz', await archive(leaking));
  write('metrics.prom', gunzipSync(leaking.get('metrics.prom.gz') ?? ''));
  for (const [node, text] of recordedScrapes()) write(`scrapes/${node}.prom`, text);
  write('goroutines.json', rangeAnswer('go_goroutines'));
  write('heap.json', rangeAnswer('go_gc_heap_live_bytes'));
  write('pods.json', rangeAnswer('kubelet_running_pods'));
  for (const [name, text] of recordedRollout()) write(`rollout/${name}`, text);
  write('nodes.csv', rolloutAttributes());
  for (const name of readdirSync(join(ROOT, 'demo/fix-a')).filter(isHeap))
    write(`fixed/${name}`, readFileSync(join(ROOT, 'demo/fix-a', name)));
  for (const name of readdirSync(join(ROOT, 'demo/leak-a')).filter(isHeap))
    write(`leaking/${name}`, readFileSync(join(ROOT, 'demo/leak-a', name)));
  write('journal.json', journalJson());
  write('events.json', eventsJson());
  write('dmesg.txt', journalText('kernel'));
  write('kubelet.log', journalText('systemd'));
  write('logs/journal.log', journalText('kernel'));
  write('live-workspaces.txt', 'lc9\nlc10\nlc11\n');
  write('issue.md', ISSUE);
  write('token', 'a-token-for-the-examples\n');
  write('bundle.key', 'sixteen bytes or more, kept for good\n');
  return files;
}

const ISSUE = `Our etcd 3.5.9 was OOM-killed twice today. \`top\` says it is at 7.5 GiB of memory, and pprof says:

\`\`\`
Type: inuse_space
(pprof) top
Showing nodes accounting for 1854.79MB, 83.72% of 2215.54MB total
      flat  flat%   sum%        cum   cum%
 1069.03MB 48.25% 48.25%  1069.03MB 48.25%  go.etcd.io/etcd/api/v3/mvccpb.(*KeyValue).Unmarshal
  785.76MB 35.47% 83.72%  1854.79MB 83.72%  go.etcd.io/etcd/server/v3/mvcc.(*store).restore
\`\`\`
`;

const isHeap = (name: string): boolean => /^(?:heap-|metrics)/.test(name);

/** The recorded node leak-a at three times, under the name that the docs use. */
function evidenceOfWorker17(): Map<string, Uint8Array> {
  const kinds = ['heap-T.pb.gz', 'goroutine-T.pb.gz', 'goroutine-d2-T.txt.gz'];
  const names = kinds.flatMap(kind => SET_TIMES.map(time => kind.replace('T', time)));
  const read = (name: string): Uint8Array => readFileSync(join(ROOT, 'demo/leak-a', name));
  const metrics = gunzipSync(read('metrics.prom.gz')).toString().replaceAll('leak-a', 'worker-17');
  return new Map([...names.map(name => [name, read(name)] as const), ['metrics.prom.gz', gzipSync(metrics)]]);
}

async function archive(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const entries = Array.from(files, ([name, body]) => ({
    header: { name: `worker-17/${name}`, size: body.length },
    body,
  }));
  return gzipSync(await packTar(entries));
}
