/** Recorded answers: `http/*.http.txt` as curl printed them, and the bodies of one leaking kubelet. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'recordings');

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `recordedAnswer('direct-403-nobody-metrics')` */
export function recordedAnswer(name: string): RecordedAnswer {
  const text = readFileSync(join(FOLDER, 'http', `${name}.http.txt`), 'utf8');
  const [request, ...rest] = text.split('\n');
  if (!request.startsWith('> ')) throw new Error(`${name}: no recording of a request`);
  const blank = rest.indexOf('');
  const head = rest.slice(0, blank).map(line => line.replace(/^< /, ''));
  const status = Number(/^HTTP\/\S+ (\d+)/.exec(head[0] ?? '')?.[1]);
  if (!(status > 0)) throw new Error(`${name}: a recording without an answer`);
  const headers: Record<string, string> = {};
  for (const line of head.slice(1)) {
    const [, key, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined && !/^(?:content-length|transfer-encoding|date)$/i.test(key))
      headers[key.toLowerCase()] = value;
  }
  const body = rest.slice(blank + 1).filter(line => !line.startsWith('# curl '));
  return { status, headers, body: body.join('\n') };
}

export function recordedNames(): string[] {
  return readdirSync(join(FOLDER, 'http')).map(file => file.replace(/\.http\.txt$/, ''));
}

export type RecordedSet = 'first' | 'second';

/** Our clock at each recorded time. */
export const RECORDED_SET_SECONDS: Readonly<Record<RecordedSet, number>> = {
  first: 1_794_772_310,
  second: 1_794_774_070,
};

/** As the kubelet sent it: profiles compressed, text not. */
export function recordedBody(set: RecordedSet, file: string): Buffer {
  const bytes = readFileSync(join(FOLDER, 'leak-a', set, file));
  return file.endsWith('.pb.gz') ? bytes : gunzipSync(bytes);
}

export function recordedOnce(file: string): Buffer {
  return readFileSync(join(FOLDER, 'leak-a', 'once', file));
}
