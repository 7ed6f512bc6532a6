/** Members of piles of every format, requests to the server, and archives of them. */
import { concatBytes, encodeText } from '../../src/base/text.ts';
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
