/** The routes under /api/v1, as listed in model/watch.ts. All of them answer from the watch. */
import { Hono, type Context } from 'hono';
import { encodeText } from '../../base/text.ts';
import type { Notifier } from '../notify/start-notifier.ts';
import type { EvidenceRefusal, WatchService } from '../watch-service.ts';
import type { NotificationsView } from '../../store/notification.ts';
import type { AnswerCache } from './answer-cache.ts';
import { body, bodyAnswer } from './body.ts';
import { attachment, profileName } from './download.ts';
import type { EventHub } from './event-hub.ts';
import { jsonBody } from './json-body.ts';
import { AlertReceiver, MAX_ALERT_BYTES } from './alert-receiver.ts';
import { readNote } from './note-body.ts';
import { postedText } from './posted-text.ts';
import { fleetParameters } from './fleet-parameters.ts';
import { incidentsParameters, MOST_INCIDENTS } from './incident-parameters.ts';
import {
  cohortsParameters,
  nameFromPath,
  noParameters,
  quoted,
  reportParameters,
  rolloutParameters,
  sha256FromPath,
  targetParameters,
} from './parameters.ts';
import { Refusal, withinSeconds } from './refusal.ts';
import type { MoreRoutes, ServerEnv } from './server-env.ts';

type ApiContext = Context<ServerEnv>;

/** Undefined if there is no such thing. */
type Found = object | undefined | Promise<object | undefined>;

export interface ApiParts {
  readonly service: WatchService;
  readonly cache: AnswerCache;
  readonly events: EventHub;
  /** Undefined if incidents are made known nowhere. */
  readonly notifier?: Pick<Notifier, 'view' | 'metrics'> | undefined;
  readonly more?: MoreRoutes | undefined;
  readonly log: (line: string) => void;
}

const ANSWER_SECONDS = 30;
/** For captures and downloads. */
const WORK_SECONDS = 120;
/** A bundle is made in memory. */
const MAX_DOWNLOADS = 2;
const MAX_POSTED_BYTES = 4096;
/** Requested each time, but not sent again if it has not changed. */
const REVALIDATE = { 'cache-control': 'private, no-cache' };
const NO_NOTIFICATIONS: NotificationsView = { schema: 'oakum.notifications/v1', destinations: [], silences: [] };
const IMMUTABLE = { 'cache-control': 'private, max-age=31536000, immutable' };

export function apiRoutes({ service, cache, events, notifier, more, log }: ApiParts): Hono<ServerEnv> {
  const api = new Hono<ServerEnv>();
  more?.addTo(api);

  const shared = async (c: ApiContext, topic: string, find: () => Found, missing?: Refusal): Promise<Response> => {
    const found = await cache.get(keyOf(c), topic, async () => {
      const value = await withinSeconds(ANSWER_SECONDS, find());
      if (value === undefined) throw missing ?? new Refusal(404, 'There is no such thing.');
      return jsonBody(value);
    });
    return bodyAnswer(found, headerOf(c), REVALIDATE);
  };

  api.get('/status', c => {
    noParameters(urlOf(c));
    return shared(c, 'status', () => service.status());
  });

  api.get('/fleet', c => {
    const { hours, query } = fleetParameters(urlOf(c));
    return shared(c, 'fleet', () => service.fleet(hours, query));
  });

  api.get('/cohorts', c => {
    const { changes } = cohortsParameters(urlOf(c));
    return shared(c, 'fleet', () => service.cohorts(changes));
  });

  api.get('/rollout', c => {
    const { by, hours, resource } = rolloutParameters(urlOf(c));
    return shared(c, 'fleet', () => service.rollout(by, hours, resource));
  });

  api.get('/targets/*', c => {
    const name = targetFromPath(c);
    const { from, to } = targetParameters(urlOf(c));
    return shared(c, `target ${name}`, () => service.target(name, from, to), noTarget(name));
  });

  api.post('/targets/*', async c => {
    const name = targetFromPath(c);
    noParameters(urlOf(c));
    refuseContent(await postedText(c, MAX_POSTED_BYTES));
    const taken = await withinSeconds(WORK_SECONDS, service.captureNow(name));
    if (taken === undefined) throw noTarget(name);
    if ('refused' in taken) throw new Refusal(409, sentence(taken.refused));
    return c.json(taken, 201, { location: `/api/v1/captures/${encodeURIComponent(taken.captureId)}` });
  });

  api.get('/incidents', c => {
    const query = incidentsParameters(urlOf(c));
    return shared(c, 'incidents', () =>
      query === undefined ? service.incidents().slice(0, MOST_INCIDENTS) : service.incidentsView(query),
    );
  });

  api.get('/incidents/:id', c => {
    const id = idFromPath(c);
    noParameters(urlOf(c));
    const find = async (): Promise<object | undefined> =>
      (await service.cohortIncident(id)) ?? (await service.incident(id));
    return shared(c, `incident ${id}`, find, noIncident(id));
  });

  let downloads = 0;
  const download = async <T extends object | string>(
    id: string,
    make: () => Promise<T | EvidenceRefusal | undefined>,
  ): Promise<T> => {
    if (downloads >= MAX_DOWNLOADS) {
      throw new Refusal(503, 'Other downloads are being made.', 'Try again in a minute.', { 'retry-after': '30' });
    }
    downloads++;
    const made = make().finally(() => downloads--);
    const found = await withinSeconds(WORK_SECONDS, made);
    if (found === undefined) throw noIncident(id);
    if (typeof found === 'object' && 'refused' in found) throw noEvidence(id, found);
    return found;
  };

  api.get('/incidents/:id/bundle', async c => {
    const id = idFromPath(c);
    noParameters(urlOf(c));
    const bytes = await download(id, () => service.bundle(id));
    return bodyAnswer(body(bytes, 'application/gzip'), headerOf(c), attachment(`oakum-incident-${id}.tar.gz`));
  });

  api.get('/incidents/:id/report', async c => {
    const id = idFromPath(c);
    const { for: audience } = reportParameters(urlOf(c));
    const text = await download(id, async () => {
      const report = await service.report(id, audience);
      // What was done is for the team; what leaves has nothing of it.
      if (typeof report !== 'string' || audience !== 'incident') return report;
      return report + ((await more?.story(id)) ?? '');
    });
    const name = `oakum-incident-${id}-${audience}.md`;
    return bodyAnswer(body(encodeText(text), 'text/markdown; charset=utf-8'), headerOf(c), attachment(name));
  });

  api.post('/incidents/:id/notes', async c => {
    const id = idFromPath(c);
    noParameters(urlOf(c));
    const note = service.annotate(id, readNote(await postedText(c, MAX_POSTED_BYTES)));
    if (note === undefined) throw noIncident(id);
    return c.json(note, 201, { location: `/api/v1/incidents/${encodeURIComponent(id)}` });
  });

  api.get('/notifications', c => {
    noParameters(urlOf(c));
    return c.json(notifier?.view() ?? NO_NOTIFICATIONS, 200, { 'cache-control': 'no-store' });
  });

  const receiver = new AlertReceiver(service, log);
  api.post('/alertmanager', async c => {
    noParameters(urlOf(c));
    return c.json(await receiver.receive(await postedText(c, MAX_ALERT_BYTES)), 202);
  });

  api.get('/captures/:id', c => {
    const id = idFromPath(c);
    noParameters(urlOf(c));
    const missing = new Refusal(404, `There is no capture ${quoted(id)}.`, 'Old captures make room for new ones.');
    return shared(c, `capture ${id}`, () => service.capture(id), missing);
  });

  api.get('/profiles/:sha256', async c => {
    const sha256 = sha256FromPath(c.req.param('sha256'));
    noParameters(urlOf(c));
    const bytes = await withinSeconds(ANSWER_SECONDS, service.profile(sha256));
    if (bytes === undefined) {
      throw new Refusal(404, `There is no file ${sha256}.`, 'Old captures make room for new ones.');
    }
    const { name, type } = profileName(sha256, bytes);
    return bodyAnswer(body(bytes, type, { hash: sha256 }), headerOf(c), { ...IMMUTABLE, ...attachment(name) });
  });

  api.get('/profiles/:sha256/origin', c => {
    const sha256 = sha256FromPath(c.req.param('sha256'));
    noParameters(urlOf(c));
    const missing = new Refusal(404, `No capture has the file ${sha256}.`, 'Old captures make room for new ones.');
    return shared(c, `origin ${sha256}`, () => service.origin(sha256), missing);
  });

  api.get('/catalogue', c => {
    noParameters(urlOf(c));
    return shared(c, 'catalogue', () => service.catalogue());
  });

  api.get('/events', c => {
    noParameters(urlOf(c));
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    const { outgoing } = c.env;
    const { stream, leave } = events.join(c.req.header('last-event-id'), () => void outgoing?.destroy());
    outgoing?.once('close', leave);
    if (outgoing?.destroyed === true) leave();
    return c.body(stream, 200, { ...headers, 'x-accel-buffering': 'no' });
  });

  return api;
}

function urlOf(c: ApiContext): URL {
  return new URL(c.req.url);
}

/** Without the host, which clients choose. */
function keyOf(c: ApiContext): string {
  const { pathname, search } = urlOf(c);
  return pathname + search;
}

function headerOf(c: ApiContext): (name: string) => string | undefined {
  return name => c.req.header(name);
}

/** A target's name may contain slashes, encoded or not: `node/worker-17`, `http://10.0.0.1:6060`. */
function targetFromPath(c: ApiContext): string {
  const [, rest = ''] = /\/targets\/(.*)$/.exec(urlOf(c).pathname) ?? [];
  return nameFromPath(c.req.method === 'POST' ? rest.replace(/\/capture$/, '') : rest, 'target');
}

function idFromPath(c: ApiContext): string {
  const [, , , , encoded = ''] = urlOf(c).pathname.split('/');
  return nameFromPath(encoded, 'id');
}

function noTarget(name: string): Refusal {
  return new Refusal(404, `There is no target ${quoted(name)}.`, 'The fleet lists all targets.');
}

function noEvidence(id: string, { refused }: EvidenceRefusal): Refusal {
  const hint = 'oakum watch --capture takes profiles by itself; oakum capture TARGET takes them now.';
  return new Refusal(404, `There is no evidence of the incident ${quoted(id)}: ${refused}.`, hint);
}

function noIncident(id: string): Refusal {
  return new Refusal(404, `There is no incident ${quoted(id)}.`, 'The list of incidents has all that are kept.');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** A capture has no options yet: `{}` or nothing. */
function refuseContent(text: string): void {
  if (/^\s*(?:\{\s*\})?\s*$/.test(text)) return;
  throw new Refusal(400, 'A capture takes no options.', 'Send {} or nothing.');
}
