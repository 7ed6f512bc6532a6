/** Sends requests to a world, without a network and in its own time. */
import { recordOf } from '../../../src/base/json.ts';
import { encodeText } from '../../../src/base/text.ts';
import type { Reply } from '../../../src/live/reply.ts';
import type { World } from './world.ts';
import type { Endpoint, SendRequest } from '../../../src/live/ports.ts';

export const WORLD_ENDPOINT: Endpoint = { base: new URL('https://world'), tls: {} };

export function worldSender(world: World): SendRequest {
  return async (endpoint, { method, path, json, contentType = '' }, limits) => {
    const lost = (message: string): Reply => ({
      kind: 'reset',
      message,
      tls: undefined,
      tookSeconds: 0,
      wasSent: true,
    });
    const url = new URL(path, endpoint.base);
    const answered = world.answer({
      method,
      path,
      body: recordOf(json === undefined ? {} : JSON.parse(JSON.stringify(json))),
      contentType,
      userAgent: endpoint.userAgent ?? 'oakum',
    });
    if (answered === 'no-answer') return lost('connection reset');
    const reply = (body: Uint8Array): Reply => ({
      kind: 'answer',
      status: answered.status,
      headers: { 'content-type': 'application/json' },
      body,
      cut: undefined,
      headAtSeconds: world.clock.now(),
      dateSeconds: world.clock.now(),
      tookSeconds: 0,
    });
    if (url.searchParams.get('watch') !== '1' || answered.status !== 200) {
      return reply(encodeText(JSON.stringify(answered.body)));
    }
    await stream(world, url, limits.onBody ?? (() => {}), limits.signal ?? new AbortController().signal);
    return reply(new Uint8Array(0));
  };
}

async function stream(
  world: World,
  url: URL,
  onBody: (chunk: Uint8Array) => void,
  callers: AbortSignal,
): Promise<void> {
  const end = new AbortController();
  const stop = (): void => end.abort();
  callers.addEventListener('abort', stop);
  if (callers.aborted) stop();
  void world.clock.sleep(Number(url.searchParams.get('timeoutSeconds') ?? 60), end.signal).then(stop);
  const node = /^spec\.nodeName=(.*)$/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1];
  let version = Number(url.searchParams.get('resourceVersion') ?? 0);
  while (!end.signal.aborted) {
    for (const change of world.changes.filter(one => one.version > version)) {
      version = change.version;
      if (node !== undefined && recordOf(change.object['spec'])['nodeName'] !== node) continue;
      onBody(encodeText(`${JSON.stringify({ type: change.type, object: change.object })}\n`));
    }
    await world.nextChange(end.signal);
  }
  callers.removeEventListener('abort', stop);
}
