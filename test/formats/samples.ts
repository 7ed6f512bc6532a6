/** Files of every format: our captures, and small ones written by hand. Their names do not help a recogniser. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { isGzip } from '../../src/base/sniff.ts';
import { encodeText } from '../../src/base/text.ts';
import type { FormatName } from '../../src/evidence/formats/registry.ts';

export interface FormatSample {
  /** A description for messages. */
  readonly what: string;
  readonly format: FormatName;
  readonly bytes: Uint8Array;
}

const CAPTURES = fileURLToPath(new URL('../fixtures/captures/', import.meta.url));

const CAPTURE_FORMATS: readonly (readonly [path: RegExp, format: FormatName])[] = [
  [/\.pb\.gz$/, 'pprof'],
  [/\.debug1\.txt$|^count-text\/.*\.txt$/, 'debug1'],
  [/\.debug2\.txt$|sigquit/, 'debug2'],
  [/^heap-text\/.*\.txt$/, 'heap-text'],
  [/^contention-text\/.*\.txt$/, 'contention-text'],
];

function captures(): FormatSample[] {
  return readdirSync(CAPTURES, { recursive: true, encoding: 'utf8' }).flatMap(path => {
    const format = CAPTURE_FORMATS.find(([pattern]) => pattern.test(path))?.[1];
    if (format === undefined || !/\.(?:txt|gz)$/.test(path)) return [];
    const bytes = readFileSync(CAPTURES + path);
    return [{ what: path, format, bytes: new Uint8Array(isGzip(bytes) ? gunzipSync(bytes) : bytes) }];
  });
}

const EVENT =
  '{"apiVersion":"v1","kind":"Event","reason":"SystemOOM","message":"System OOM encountered, victim process: kubelet, pid: 7","firstTimestamp":"2026-11-15T07:12:25Z","involvedObject":{"kind":"Node","name":"worker-17"}}';
const NODE =
  '{"apiVersion":"v1","kind":"Node","metadata":{"name":"worker-17"},"status":{"nodeInfo":{"kubeletVersion":"v1.36.0"}}}';

const JOURNAL = [
  'Nov 15 07:12:25 worker-17 kernel: Out of memory: Killed process 7 (kubelet) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB',
  'Nov 15 07:12:26 worker-17 systemd[1]: kubelet.service: Main process exited, code=killed, status=9/KILL',
  'Nov 15 07:12:36 worker-17 systemd[1]: kubelet.service: Scheduled restart job, restart counter is at 3.',
].join('\n');

const TEXTS: readonly (readonly [format: FormatName, what: string, text: string])[] = [
  [
    'exposition',
    'metrics with metadata',
    '# TYPE go_goroutines gauge\ngo_goroutines 12\nprocess_start_time_seconds 1.7e9\n',
  ],
  ['exposition', 'metrics that begin like a profile.proto', 'process_resident_memory_bytes 5\ngo_goroutines 12\n'],
  ['exposition', 'a marked scrape', '# OAKUM scrape ts=1794772040.0 node=a status=200\ngo_goroutines 12\n'],
  [
    'range-query',
    'a Prometheus response',
    '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"go_goroutines","instance":"a"},"values":[[1794772040,"294"]]}]}}',
  ],
  ['range-query', 'the print of promtool', 'go_goroutines{instance="a:10250"} =>\n294 @[1794772040]\n'],
  ['legacy', 'a heap profile of tcmalloc', 'heap profile:  1:  8 [ 1: 8] @ heap_v2/524288\n 1: 8 [1: 8] @ 0x10 0x20\n'],
  ['legacy', 'contention of C++', '--- contentionz 1 ---\ncycles/second = 100\n100 1 @ 0x10 0x20\n'],
  [
    'legacy',
    'threads of C++',
    '--- threadz 1 ---\n\n--- Thread 7f (name: main/1) stack: ---\n  PC: 0x10 0x20\n--- Memory map: ---\n',
  ],
  [
    'legacy',
    'a heap profile of Java',
    '--- heapz 1 ---\nformat = java\nresolution = bytes\n  8 1 @ 0x03\n0x03 a.B.c (B.java:1)\n',
  ],
  ['folded', 'folded stacks', 'main.main;main.work 3\nmain.main;main.rest 4\n'],
  ['folded', 'folded stacks with a header', 'alloc_objects/count alloc_space/bytes\nmain.main;io.ReadAll 12 4096\n'],
  [
    'capture-manifest',
    'a capture manifest',
    '{"schema":"oakum.capture/v1","target":"node/worker-17","oakumVersion":"0.1.0","startedAtSeconds":1,"processStartSeconds":[],"entries":[{"kind":"heap","set":1,"file":"heap-1.pb.gz","request":"/debug/pprof/heap","takenAtSeconds":1}],"notes":[]}',
  ],
  [
    'bundle-manifest',
    'a bundle manifest',
    '{"schema":"oakum.bundle/v1","oakumVersion":"0.1.0","redaction":null,"files":[{"path":"a.txt","format":"debug2","bytes":1,"sha256":"00"}],"leftOut":[]}',
  ],
  ['log', 'a journal', `${JOURNAL}\n`],
  [
    'log',
    'klog',
    'I1101 12:00:00.000000     123 kubelet.go:12] started\nW1101 12:00:01.000000     123 kubelet.go:13] slow\n',
  ],
  ['log', 'dmesg', '[    0.000000] Linux version 6.1.0\n[12345.678901] Out of memory: Killed process 7 (kubelet)\n'],
  ['log', "Docker's JSON", '{"log":"fatal error: out of memory\\n","stream":"stderr","time":"2026-11-15T07:12:25Z"}\n'],
  [
    'log',
    "journald's JSON",
    '{"__REALTIME_TIMESTAMP":"1794726745123456","_HOSTNAME":"worker-17","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"hi"}\n',
  ],
  [
    'log',
    'logfmt',
    'time="2026-11-15T07:12:25Z" level=info msg=started\ntime="2026-11-15T07:12:26Z" level=info msg=ok\n',
  ],
  ['version', 'a version', 'v1.36.0\n'],
  ['json-lines', 'lines of JSON', '{"a":1}\n{"a":2}\n'],
  ['kubectl-json', 'an event', EVENT],
  ['kubectl-json', 'a list of nodes', `{"apiVersion":"v1","kind":"NodeList","items":[${NODE}]}`],
  ['kubectl-json', 'indented, behind a byte order mark', `\ufeff\n${JSON.stringify(JSON.parse(NODE), undefined, 2)}\n`],
  ['kubectl-json', 'objects one after another', `${JSON.stringify(JSON.parse(EVENT), undefined, 2)}\n`.repeat(2)],
  ['kubectl-json', 'cut', `{"apiVersion":"v1","kind":"NodeList","items":[${NODE.slice(0, 80)}`],
  ['kubectl-json', 'a version', '{"major":"1","minor":"36","gitVersion":"v1.36.0","goVersion":"go1.26.0"}'],
  ['kubectl-json', '/configz', '{"kubeletconfig":{"kind":"KubeletConfiguration","maxPods":110}}'],
  ['kubectl-json', '/stats/summary', '{"node":{"nodeName":"worker-17","memory":{"rssBytes":1}},"pods":[]}'],
  ['json', 'other JSON', '{"hello":"world"}'],
  ['json', 'a list', '[{"hello":"world"}]'],
];

/** The binary CPU profile of gperftools: a header, a sample, the end. */
function cpuBinary(): Uint8Array {
  return new Uint8Array(new Uint32Array([0, 3, 0, 10_000, 0, 1, 2, 0x10, 0x20, 0, 1, 0]).buffer);
}

/** A dump as written by a log pipeline, line by line. */
function prefixed(sample: FormatSample, prefix: string): FormatSample {
  const lines = Buffer.from(sample.bytes).toString('utf8').trimEnd().split('\n');
  const text = lines.map(line => `${prefix}${line}\n`).join('');
  return { ...sample, what: `${sample.what} behind ${JSON.stringify(prefix)}`, bytes: encodeText(text) };
}

const PREFIXES = [
  'Nov 01 12:00:00 worker-17 kubelet[123]: ',
  '2026-11-01T12:00:00.123456789Z stderr F ',
  '2026-11-01T12:00:00Z ',
];

function inDockerLog(sample: FormatSample): FormatSample {
  const lines = Buffer.from(sample.bytes).toString('utf8').trimEnd().split('\n');
  const text = lines.map(line => `${JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: 'x' })}\n`).join('');
  return { ...sample, what: `${sample.what} in a log of Docker`, bytes: encodeText(text) };
}

function otlp(type: string): Uint8Array {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`../fixtures/otlp/heap.otlp.${type}`, import.meta.url))));
}

export function formatSamples(): FormatSample[] {
  const plain = captures();
  const short = (['debug1', 'debug2', 'heap-text'] as const).flatMap(format =>
    plain.filter(one => one.format === format && one.bytes.length < 100_000).slice(0, 1),
  );
  return [
    ...plain,
    ...TEXTS.map(([format, what, text]) => ({ what, format, bytes: encodeText(text) })),
    { what: 'a CPU profile of gperftools', format: 'legacy', bytes: cpuBinary() },
    ...['pb', 'json'].map(type => ({ what: `OTLP as ${type}`, format: 'otlp' as const, bytes: otlp(type) })),
    ...short.flatMap(one => [...PREFIXES.map(prefix => prefixed(one, prefix)), inDockerLog(one)]),
  ];
}

/** Files that no format claims. */
export const UNRECOGNIZED: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ['a letter', encodeText('Dear diary,\nnothing leaks.\n')],
  ['a page', encodeText('<!doctype html><title>404</title>\n')],
  ['half of some JSON', encodeText('{"hello": [1, 2')],
  ['two letters that begin like a profile.proto', encodeText('hi\n')],
  ['noise', Uint8Array.from({ length: 200 }, (_, i) => (i * 73) % 251)],
];
