/** The routes under /api/v1, as model/watch.ts lists them. Each answers from the watch; none reaches further. */
import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { encodeText } from '../base/text.ts';
import type { WatchService } from '../engine/watch/watch-service.ts';
import type { AnswerCache } from './answer-cache.ts';
import { body, bodyAnswer } from './body.ts';
import { attachment, profileName } from './download.ts';
import type { EventHub } from './event-hub.ts';
import { jsonBody } from './json-body.ts';
import {
  fleetParameters,
  nameFromPath,
  noParameters,
  quoted,
  reportParameters,
  sha256FromPath,
  targetParameters,
} from './parameters.ts';
import { Refusal, withinSeconds } from './refusal.ts';

export interface ServerEnv {
  /** Absent when the app is asked without a socket. */
  readonly Bindings: Partial<HttpBindings>;
}

type Ask = Context<ServerEnv>;

/** `undefined` from the watch: there is no such thing. */
type Found = object | undefined | Promise<object | undefined>;

export interface ApiParts {
  readonly service: WatchService;
  readonly cache: AnswerCache;
  readonly events: EventHub;
}

const ANSWER_SECONDS = 30;
/** For captures and downloads. */
const WORK_SECONDS = 120;
/** A bundle is made in memory. */
const MAX_DOWNLOADS = 2;
const MAX_POSTED_BYTES = 4096;
/** Asked again each time, and not sent again when it is the same. */
const REVALIDATE = { 'cache-control': 'private, no-cache' };
const FOR_EVER = { 'cache-control': 'private, max-age=31536000, immutable' };

export function apiRoutes({ service, cache, events }: ApiParts): Hono<ServerEnv> {
  const api = new Hono<ServerEnv>();

  const shared = async (ask: Ask, topic: string, find: () => Found, missing?: Refusal): Promise<Response> => {
    const found = await cache.get(keyOf(ask), topic, async () => {
      const value = await withinSeconds(ANSWER_SECONDS, find());
      if (value === undefined) throw missing ?? new Refusal(404, 'There is no such thing.');
      return jsonBody(value);
    });
    return bodyAnswer(found, headerOf(ask), REVALIDATE);
  };

  api.get('/status', ask => {
    noParameters(urlOf(ask));
    return shared(ask, 'status', () => service.status());
  });

  api.get('/fleet', ask => {
    const { hours } = fleetParameters(urlOf(ask));
    return shared(ask, 'fleet', () => service.fleet(hours));
  });

  api.get('/targets/*', ask => {
    const name = targetFromPath(ask);
    const { from, to } = targetParameters(urlOf(ask));
    return shared(ask, `target ${name}`, () => service.target(name, from, to), noTarget(name));
  });

  api.post('/targets/*', bodyLimit({ maxSize: MAX_POSTED_BYTES, onError: tooLong }), async ask => {
    const name = targetFromPath(ask);
    noParameters(urlOf(ask));
    refuseContent(await ask.req.text());
    const taken = await withinSeconds(WORK_SECONDS, service.captureNow(name));
    if (taken === undefined) throw noTarget(name);
    if ('refused' in taken) throw new Refusal(409, sentence(taken.refused));
    return ask.json(taken, 201, { location: `/api/v1/captures/${encodeURIComponent(taken.captureId)}` });
  });

  api.get('/incidents', ask => {
    noParameters(urlOf(ask));
    return shared(ask, 'incidents', () => service.incidents());
  });

  api.get('/incidents/:id', ask => {
    const id = idFromPath(ask);
    noParameters(urlOf(ask));
    return shared(ask, `incident ${id}`, () => service.incident(id), noIncident(id));
  });

  let downloads = 0;
  const download = async <T>(make: () => Promise<T | undefined>, missing: Refusal): Promise<T> => {
    if (downloads >= MAX_DOWNLOADS) {
      throw new Refusal(503, 'Other downloads are being made.', 'Try again in a minute.', { 'retry-after': '30' });
    }
    downloads++;
    const made = make().finally(() => downloads--);
    const found = await withinSeconds(WORK_SECONDS, made);
    if (found === undefined) throw missing;
    return found;
  };

  api.get('/incidents/:id/bundle', async ask => {
    const id = idFromPath(ask);
    noParameters(urlOf(ask));
    const bytes = await download(() => service.bundle(id), noIncident(id));
    return bodyAnswer(body(bytes, 'application/gzip'), headerOf(ask), attachment(`oakum-incident-${id}.tar.gz`));
  });

  api.get('/incidents/:id/report', async ask => {
    const id = idFromPath(ask);
    const { for: audience } = reportParameters(urlOf(ask));
    const text = await download(() => service.report(id, audience), noIncident(id));
    const name = `oakum-incident-${id}-${audience}.md`;
    return bodyAnswer(body(encodeText(text), 'text/markdown; charset=utf-8'), headerOf(ask), attachment(name));
  });

  api.get('/captures/:id', ask => {
    const id = idFromPath(ask);
    noParameters(urlOf(ask));
    const missing = new Refusal(404, `There is no capture ${quoted(id)}.`, 'Old captures make room for new ones.');
    return shared(ask, `capture ${id}`, () => service.capture(id), missing);
  });

  api.get('/profiles/:sha256', async ask => {
    const sha256 = sha256FromPath(ask.req.param('sha256'));
    noParameters(urlOf(ask));
    const bytes = await withinSeconds(ANSWER_SECONDS, service.profile(sha256));
    if (bytes === undefined) {
      throw new Refusal(404, `There is no file ${sha256}.`, 'Old captures make room for new ones.');
    }
    const { name, type } = profileName(sha256, bytes);
    return bodyAnswer(body(bytes, type, { hash: sha256 }), headerOf(ask), { ...FOR_EVER, ...attachment(name) });
  });

  api.get('/catalogue', ask => {
    noParameters(urlOf(ask));
    return shared(ask, 'catalogue', () => service.catalogue());
  });

  api.get('/events', ask => {
    noParameters(urlOf(ask));
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
    if (ask.req.method === 'HEAD') return ask.body(null, 200, headers);
    const { outgoing } = ask.env;
    const { stream, leave } = events.join(ask.req.header('last-event-id'), () => void outgoing?.destroy());
    outgoing?.once('close', leave);
    if (outgoing?.destroyed === true) leave();
    return ask.body(stream, 200, { ...headers, 'x-accel-buffering': 'no' });
  });

  return api;
}

function urlOf(ask: Ask): URL {
  return new URL(ask.req.url);
}

/** Without the host, of which a client may send any. */
function keyOf(ask: Ask): string {
  const { pathname, search } = urlOf(ask);
  return pathname + search;
}

function headerOf(ask: Ask): (name: string) => string | undefined {
  return name => ask.req.header(name);
}

/** A target's name may hold slashes, encoded or not: `node/worker-17`, `http://10.0.0.1:6060`. */
function targetFromPath(ask: Ask): string {
  const [, rest = ''] = /\/targets\/(.*)$/.exec(urlOf(ask).pathname) ?? [];
  return nameFromPath(ask.req.method === 'POST' ? rest.replace(/\/capture$/, '') : rest, 'target');
}

function idFromPath(ask: Ask): string {
  const [, , , , encoded = ''] = urlOf(ask).pathname.split('/');
  return nameFromPath(encoded, 'id');
}

function noTarget(name: string): Refusal {
  return new Refusal(404, `There is no target ${quoted(name)}.`, 'GET /api/v1/fleet lists the targets.');
}

function noIncident(id: string): Refusal {
  return new Refusal(404, `There is no incident ${quoted(id)}.`, 'GET /api/v1/incidents lists them.');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function tooLong(): never {
  throw new Refusal(413, `The request is longer than ${MAX_POSTED_BYTES} bytes.`, 'Send {} or nothing.');
}

/** There is nothing to choose about a capture yet: `{}` or nothing. */
function refuseContent(text: string): void {
  if (/^\s*(?:\{\s*\})?\s*$/.test(text)) return;
  throw new Refusal(400, 'A capture takes no options.', 'Send {} or nothing.');
}
