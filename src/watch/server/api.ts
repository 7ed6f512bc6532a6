/** The routes under /api/v1, as listed in docs/api.md. All of them answer from the watch. */
import { Hono, type Context } from 'hono';
import { encodeText, concatBytes } from '../../base/text.ts';
import type { Notifier } from '../notify/start-notifier.ts';
import type { EvidenceRefusal, WatchService } from '../watch-service.ts';
import type { NotificationsView } from '../../store/notification.ts';
import { type AnswerCache, body, bodyAnswer, type Body, attachment, profileName, postedText } from './body.ts';
import type { EventHub } from './event-hub.ts';
import { AlertReceiver, MAX_ALERT_BYTES } from './alert-receiver.ts';
import {
  cohortsParameters,
  nameFromPath,
  noParameters,
  quoted,
  reportParameters,
  rolloutParameters,
  sha256FromPath,
  targetParameters,
  fleetParameters,
  incidentsParameters,
  MAX_INCIDENTS,
} from './parameters.ts';
import { Refusal, withinSeconds, type MoreRoutes, type ServerEnv } from './refusal.ts';
import type { NewNote } from '../watch-model.ts';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unicodeEscaped } from '../../base/visible-text.ts';

/**
 * A value as JSON. A fleet of thousands is serialised in slices, so that nothing else waits long:
 *
 *     { "schema": ..., "rows": [ 5,000 of them ] }      the rows some at a time, the rest at once
 */
const LONG_LIST = 100;

const SLICE_MS = 8;

/** The body of a note: `{ "by": "kim", "text": "drained it", "acknowledges": false }`. */
const MAX_NAME = 80;

const MAX_TEXT = 2000;

const KEYS = ['by', 'text', 'acknowledges'];

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

export function apiRoutes(parts: ApiParts): Hono<ServerEnv> {
  const api = new Hono<ServerEnv>();
  parts.more?.addTo(api);
  const routes = new ApiRoutes(api, parts);
  routes.addFleet();
  routes.addIncidents();
  routes.addEvidence();
  routes.addNotifications();
  return api;
}

class ApiRoutes {
  readonly #api: Hono<ServerEnv>;
  readonly #parts: ApiParts;
  #downloads = 0;

  constructor(api: Hono<ServerEnv>, parts: ApiParts) {
    this.#api = api;
    this.#parts = parts;
  }

  /** The watch itself, and its targets. */
  addFleet(): void {
    const api = this.#api;
    const { service } = this.#parts;
    api.get('/status', c => {
      noParameters(urlOf(c));
      return this.#shared(c, 'status', () => service.status());
    });

    api.get('/fleet', c => {
      const { hours, query } = fleetParameters(urlOf(c));
      return this.#shared(c, 'fleet', () => service.fleet(hours, query));
    });

    api.get('/cohorts', c => {
      const { changes } = cohortsParameters(urlOf(c));
      return this.#shared(c, 'fleet', () => service.cohorts(changes));
    });

    api.get('/rollout', c => {
      const { by, hours, resource } = rolloutParameters(urlOf(c));
      return this.#shared(c, 'fleet', () => service.rollout(by, hours, resource));
    });

    api.get('/targets/*', c => {
      const name = targetFromPath(c);
      const { from, to } = targetParameters(urlOf(c));
      return this.#shared(c, `target ${name}`, () => service.target(name, from, to), noTarget(name));
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

    api.get('/catalogue', c => {
      noParameters(urlOf(c));
      return this.#shared(c, 'catalogue', () => service.catalogue());
    });
  }

  addIncidents(): void {
    const api = this.#api;
    const { service, more } = this.#parts;
    api.get('/incidents', c => {
      const query = incidentsParameters(urlOf(c));
      return this.#shared(c, 'incidents', () =>
        query === undefined ? service.incidents().slice(0, MAX_INCIDENTS) : service.incidentsView(query),
      );
    });

    api.get('/incidents/:id', c => {
      const id = idFromPath(c);
      noParameters(urlOf(c));
      const find = async (): Promise<object | undefined> =>
        (await service.cohortIncident(id)) ?? (await service.incident(id));
      return this.#shared(c, `incident ${id}`, find, noIncident(id));
    });

    api.get('/incidents/:id/bundle', async c => {
      const id = idFromPath(c);
      noParameters(urlOf(c));
      const bytes = await this.#download(id, () => service.bundle(id));
      return bodyAnswer(body(bytes, 'application/gzip'), headerOf(c), attachment(`oakum-incident-${id}.tar.gz`));
    });

    api.get('/incidents/:id/report', async c => {
      const id = idFromPath(c);
      const { for: audience } = reportParameters(urlOf(c));
      const text = await this.#download(id, async () => {
        const report = await service.report(id, audience);
        // Only the report for the team says what was done; reports for others do not.
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
  }

  /** Captures and their files. */
  addEvidence(): void {
    const api = this.#api;
    const { service } = this.#parts;
    api.get('/captures/:id', c => {
      const id = idFromPath(c);
      noParameters(urlOf(c));
      const missing = new Refusal(404, `There is no capture ${quoted(id)}.`, 'Old captures make room for new ones.');
      return this.#shared(c, `capture ${id}`, () => service.capture(id), missing);
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
      return this.#shared(c, `origin ${sha256}`, () => service.origin(sha256), missing);
    });
  }

  /** What others are notified of, the alerts that they send, and events for open pages. */
  addNotifications(): void {
    const api = this.#api;
    const { service, notifier, events, log } = this.#parts;
    api.get('/notifications', c => {
      noParameters(urlOf(c));
      return c.json(notifier?.view() ?? NO_NOTIFICATIONS, 200, { 'cache-control': 'no-store' });
    });

    const receiver = new AlertReceiver(service, log);
    api.post('/alertmanager', async c => {
      noParameters(urlOf(c));
      return c.json(await receiver.receive(await postedText(c, MAX_ALERT_BYTES)), 202);
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
  }

  /** An answer that others who ask for the same get as well. */
  async #shared(c: ApiContext, topic: string, find: () => Found, missing?: Refusal): Promise<Response> {
    const found = await this.#parts.cache.get(keyOf(c), topic, async () => {
      const value = await withinSeconds(ANSWER_SECONDS, find());
      if (value === undefined) throw missing ?? new Refusal(404, 'There is no such thing.');
      return jsonBody(value);
    });
    return bodyAnswer(found, headerOf(c), REVALIDATE);
  }

  async #download<T extends object | string>(
    id: string,
    make: () => Promise<T | EvidenceRefusal | undefined>,
  ): Promise<T> {
    if (this.#downloads >= MAX_DOWNLOADS) {
      throw new Refusal(503, 'Other downloads are being made.', 'Try again in a minute.', { 'retry-after': '30' });
    }
    this.#downloads++;
    const made = make().finally(() => this.#downloads--);
    const found = await withinSeconds(WORK_SECONDS, made);
    if (found === undefined) throw noIncident(id);
    if (typeof found === 'object' && 'refused' in found) throw noEvidence(id, found);
    return found;
  }
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

export function readNote(body: string): NewNote {
  const fields = readFields(body);
  const { by, text = '', acknowledges = false } = fields;
  const unknown = Object.keys(fields).find(key => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`A note has no field ${JSON.stringify(unknown.slice(0, 40))}.`);
  if (typeof by !== 'string' || by.trim() === '' || by.length > MAX_NAME)
    throw wrong(`A note needs the name of its author, up to ${MAX_NAME} characters.`);
  if (typeof text !== 'string' || text.length > MAX_TEXT)
    throw wrong(`The text of a note has up to ${MAX_TEXT} characters.`);
  if (typeof acknowledges !== 'boolean') throw wrong('`acknowledges` is true or false.');
  if (text.trim() === '' && !acknowledges) throw wrong('A note needs a text, unless it acknowledges the incident.');
  return { by: by.trim(), text: text.trim(), acknowledges };
}

function readFields(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Text that is not JSON is refused like other JSON.
  }
  throw wrong('The note is not a JSON object.');
}

function wrong(what: string): Refusal {
  return new Refusal(400, what, 'Send {"by": "NAME", "text": "...", "acknowledges": false}.');
}

export async function jsonBody(value: object): Promise<Body> {
  const parts: Uint8Array[] = [];
  const hash = createHash('sha256');
  const keep = (text: string): void => {
    const part = encodeText(unicodeEscaped(text));
    hash.update(part);
    parts.push(part);
  };
  let text = '';
  let beganMs = performance.now();
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (performance.now() - beganMs < SLICE_MS) continue;
    keep(text);
    text = '';
    await nextTurn();
    beganMs = performance.now();
  }
  keep(text);
  const hashed = hash.digest('base64url').slice(0, 22);
  return body(concatBytes(parts), 'application/json; charset=utf-8', { hash: hashed });
}

/** Together they are `JSON.stringify(value)`: NaN and infinities are null, and undefined members are left out. */
export function* jsonPieces(value: object): Generator<string> {
  if (Array.isArray(value)) {
    yield* listPieces(value);
    return;
  }
  let separator = '{';
  for (const [key, member] of Object.entries(value)) {
    const isLong = Array.isArray(member) && member.length > LONG_LIST;
    const whole = isLong ? '' : JSON.stringify(member);
    if (whole === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:${whole}`;
    if (isLong) yield* listPieces(member);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of list.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`;
  yield ']';
}
