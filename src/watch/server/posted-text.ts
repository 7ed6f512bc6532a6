/** The body of a request, within a limit. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { concatBytes, decodeText } from '../../base/text.ts';
import { Refusal } from './refusal.ts';

/** A request without a length and without chunks has no body. */
export async function postedText(
  c: Context<{ readonly Bindings: Partial<HttpBindings> }>,
  maxBytes: number,
): Promise<string> {
  const { incoming } = c.env;
  const tooLong = (): Refusal => new Refusal(413, `The request is longer than ${maxBytes} bytes.`);
  const length = Number(c.req.header('content-length') ?? 0);
  if (length > maxBytes) throw tooLong();
  if (incoming === undefined) return c.req.text();
  if (length === 0 && c.req.header('transfer-encoding') === undefined) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return decodeText(concatBytes(chunks));
}
