/** Members of piles of every format, pastes, requests to the server, and archives of them. */
import { concatBytes, decodeText, encodeText } from '../../src/base/text.ts';
import { formatSamples } from '../formats/samples.ts';
import type { Specimen } from './corpus.ts';

const MAX_BYTES = 16 * 1024;

/** Small: a pile has several. */
export function pileSpecimens(): Specimen[] {
  return formatSamples().map(({ what, bytes, format }) => ({
    name: `${format}: ${what}`,
    bytes: format === 'pprof' ? bytes : bytes.slice(0, MAX_BYTES),
  }));
}

const PASTED = [
  'File: etcd\nType: inuse_space\n(pprof) top\nShowing nodes accounting for 30MB, 75% of 40MB total\n      flat  flat%   sum%        cum   cum%\n      20MB 50.00% 50.00%       30MB 75.00%  main.(*store).put (inline)\n         0     0% 75.00%       30MB 75.00%  main.main\n',
  'Showing nodes accounting for 3MB, 75% of 4MB total\n----------------------------------------------------------+-------------\n      flat  flat%   sum%        cum   cum%   calls calls% + context\n----------------------------------------------------------+-------------\n                                              30MB   100% |   main.main\n      20MB 50.00% 50.00%       30MB 75.00%                | main.put\n',
  'Type: inuse_space\n-----------+-------------------------------------------------------\n     bytes:  64kB\n      20MB   main.put\n             main.main\n-----------+-------------------------------------------------------\n',
  'PeriodType: space bytes\nPeriod: 524288\nSamples:\ninuse_objects/count inuse_space/bytes[dflt]\n         2       2048: 1 2\nLocations\n     1: 0x40a6a5 M=1 main.put /a.go:12:0 s=10\n     2: 0x40a6b5 M=1 main.main /a.go:4:0 s=3\nMappings\n',
  'Total: 40MB\nROUTINE ======================== main.put in /a.go\n      20MB       30MB (flat, cum) 75.00% of Total\n         .          .     10:func put() {\n',
  '  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n    1 root      20   0   10.1g   5.2g  66572 S 165.8   4.1   1413:06 etcd\n',
  'NAME   CPU(cores)   MEMORY(bytes)\nweb-0   1m   6Mi\nPOD NAME CPU(cores) MEMORY(bytes)\nweb-0 app 89m 7733Mi\n',
  'Name:\tkubelet\nVmRSS:\t200 kB\nRssAnon:\t150 kB\nThreads:\t12\n\npprof says inuse_space is 360MB of memory\n',
  '12: /usr/bin/etcd\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n0000000000400000      20      12       0 r-x-- etcd\ntotal kB  100  80  4\n',
  '    Last State:     Terminated\n      Reason:       OOMKilled\n    Restart Count:  7\n    Limits:\n      memory:  512Mi\n',
  '[Goroutine 63 in state select, with a/b.(*T).pop on top of the stack:\na/b.(*T).pop(0x1)\n\t/a/b.go:34 +0x1\n]\n  Goroutine 7 - User: /a.go:1 main.run (0x48) [select 120]\n',
  '# lsof -p 1 | wc -l\n39240\n$ ps -o rss\n1\n2\n3\n22.6 22.9 22.8 MB\n  12 a/b.(*T).c(0x1)\n  13 a/b.d()\n',
  '{"log":"goroutine 1 [running]:\\nmain.main()\\n\\t/a.go:1\\n","time":"2026-11-19T10:00:00Z"}\n',
  'Time,go_goroutines\n2026-11-19 10:00:00,310\n2026-11-19 10:01:00,320\n# HeapAlloc = 1\n{Alloc:100 Sys:5}\n993 goroutine\n',
];

/** What people paste, plain and as an issue, a mail, a page or one line of JSON has it. */
export function pasteSpecimens(): Specimen[] {
  const dumps = formatSamples()
    .filter(({ format }) => /^(?:debug1|debug2|heap-text)$/.test(format))
    .map(({ bytes }) => decodeText(bytes.subarray(0, 2048)));
  const wraps: readonly ((text: string) => string)[] = [
    text => text,
    text => `Before:\n\`\`\`\n${text}\`\`\`\nAfter:\n\`\`\`\n${text}\`\`\`\n`,
    text => text.replace(/^/gm, '> '),
    text => text.replace(/^#\t/gm, '').replaceAll('\t', '    '),
    text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    text => JSON.stringify(text),
    text => text.replace(/^/gm, 'Nov 26 09:24:44 host etcd[12]: '),
  ];
  return [...PASTED, ...dumps].flatMap((text, i) =>
    wraps.map((wrap, j) => ({ name: `paste ${i} wrapped ${j}`, bytes: encodeText(wrap(text)) })),
  );
}

const GETS = [
  '/',
  '/healthz',
  '/metrics',
  '/login?token=abc',
  '/assets/main-4QX7ZJ2K.js',
  '/api/v1/status',
  '/api/v1/fleet?hours=24',
  '/api/v1/targets/node%2Fworker-1?from=1794764800&to=1794772000',
  '/api/v1/incidents',
  '/api/v1/incidents/i-1',
  '/api/v1/incidents/i-1/bundle',
  '/api/v1/incidents/i-1/report?for=upstream',
  '/api/v1/captures/c-1',
  `/api/v1/profiles/${'ab'.repeat(32)}`,
  '/api/v1/catalogue',
  '/api/v1/events',
];

export function requestSpecimens(): Specimen[] {
  const headers = 'Host: localhost\r\nAccept-Encoding: gzip, br\r\nIf-None-Match: "a"\r\nRange: bytes=0-10\r\n';
  const gets = GETS.map(path => `GET ${path} HTTP/1.1\r\n${headers}\r\n`);
  const body = '{"reason":"asked for"}';
  const post = (type: string): string =>
    `POST /api/v1/targets/node%2Fworker-1/capture HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const chunked =
    'POST /api/v1/targets/node%2Fworker-1/capture HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return [...gets, post('application/json'), post('text/plain'), chunked].map(text => ({
    name: text.slice(0, text.indexOf('\r\n')),
    bytes: encodeText(text),
  }));
}

const BLOCK = 512;

/** A tar of members, as `tar` writes it. */
export function tarOf(members: readonly { readonly path: string; readonly bytes: Uint8Array }[]): Uint8Array {
  const blocks = members.flatMap(({ path, bytes }) => [header(path, bytes.length), padded(bytes)]);
  return concatBytes([...blocks, new Uint8Array(2 * BLOCK)]);
}

function header(path: string, size: number): Uint8Array {
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  const fields = [
    path.slice(0, 100).padEnd(100, '\0'),
    octal(0o644, 8),
    octal(0, 8),
    octal(0, 8),
    octal(size, 12),
    octal(1_794_770_000, 12),
  ].join('');
  const rest = '0'.padEnd(101, '\0') + 'ustar\x0000';
  const text = (checksum: string): Uint8Array => encodeText((fields + checksum + rest).padEnd(BLOCK, '\0'));
  const sum = text(' '.repeat(8)).reduce((total, byte) => total + byte, 0);
  return text(`${sum.toString(8).padStart(6, '0')}\0 `);
}

function padded(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  out.set(bytes);
  return out;
}
