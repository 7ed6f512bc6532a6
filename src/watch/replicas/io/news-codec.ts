/**
 * News as compressed JSON. Samples with the same metrics share one list of names, and numbers that JSON does not have
 * are written as { "#": "Infinity" }.
 */
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { decodeText, encodeText } from '../../../base/text.ts';
import { NO_NEWS, type News, type NewSample } from '../news.ts';

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
/** Far beyond what a replica publishes at once. */
const MAX_BYTES = 512 * 2 ** 20;

interface Shape {
  readonly metrics: readonly string[];
  readonly rows: (readonly [target: string, at: number, ...values: number[]])[];
}

export async function encodeNews({ samples, ...others }: News): Promise<Uint8Array> {
  const shapes = new Map<string, Shape>();
  for (const { target, at, values } of samples) {
    const entries = Object.entries(values).filter(([, value]) => Number.isFinite(value));
    const metrics = entries.map(([metric]) => metric);
    const key = metrics.join('\n');
    let shape = shapes.get(key);
    if (shape === undefined) shapes.set(key, (shape = { metrics, rows: [] }));
    shape.rows.push([target, at, ...entries.map(([, value]) => value)]);
  }
  return packJson({ ...others, shapes: [...shapes.values()] });
}

export async function decodeNews(body: Uint8Array): Promise<News> {
  const { shapes = [], ...others } = (await unpackJson(body)) as Partial<Omit<News, 'samples'>> & { shapes?: Shape[] };
  const samples: NewSample[] = shapes.flatMap(({ metrics, rows }) =>
    rows.map(([target, at, ...values]) => ({
      target,
      at,
      values: Object.fromEntries(metrics.map((metric, i) => [metric, values[i] ?? NaN])),
    })),
  );
  // Each target's are in order of time, whatever their shapes.
  samples.sort((a, b) => a.at - b.at);
  return { ...NO_NEWS, ...others, samples };
}

async function packJson(value: unknown): Promise<Uint8Array> {
  return gzip(encodeText(jsonText(value)), { level: 1 });
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'number' && !Number.isFinite(one) ? { '#': String(one) } : one,
  );
}

/** Compressed or not. */
export async function unpackJson(body: Uint8Array): Promise<unknown> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const text = decodeText(isGzip ? await gunzip(body, { maxOutputLength: MAX_BYTES }) : body);
  return JSON.parse(text, (_, one: unknown) =>
    typeof one === 'object' && one !== null && '#' in one && Object.keys(one).length === 1
      ? Number((one as { '#': string })['#'])
      : one,
  ) as unknown;
}
