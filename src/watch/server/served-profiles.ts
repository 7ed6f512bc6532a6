/** What `oakum pprof -http` serves: profiles without a watch, at its own paths and at those of `go tool pprof -http`. */
import { createHash } from 'node:crypto';
import type { WatchService } from '../watch-service.ts';
import type { WatchStatus } from '../watch-model.ts';
import { Refusal, type ServerEnv } from './refusal.ts';
import { Hono } from 'hono';
import { lineParameters } from './parameters.ts';

interface ProfileOnlyOptions {
  /** What the page shows, in a few words: `heap.pb.gz`. */
  readonly title: string;
  readonly version: string;
  readonly files: readonly ServedFile[];
}

export interface ServedFile {
  readonly bytes: Uint8Array;
  /** What was given on the command line; several are merged. */
  readonly sources: readonly string[];
}

interface ProfileOnlyService {
  readonly service: WatchService;
  /** One for each file, in order. */
  readonly sha256s: readonly string[];
}

/** Often enough to show a page that the server is alive. */
const STATUS_EVERY_MS = 60_000;

export function profileOnlyService({ title, version, files }: ProfileOnlyOptions): ProfileOnlyService {
  const sha256s = files.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
  const bySha256 = new Map(files.map(({ bytes }, i) => [sha256s[i], bytes]));
  const startedAt = Math.floor(Date.now() / 1000);
  const status = (): WatchStatus => ({
    schema: 'oakum.status/v1',
    version,
    mode: 'files',
    cluster: title,
    startedAt,
    now: Date.now() / 1000,
    pace: 1,
    targetCount: 0,
    lastRoundSeconds: 0,
    silent: [],
    capturesAllowed: false,
    missingRights: [],
    store: { bytes: files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0), degraded: null },
    grafana: null,
    story: [],
    files: files.map(({ sources }, i) => ({ sha256: sha256s[i] ?? '', sources })),
  });
  const service: WatchService = {
    status,
    fleet: nothingWatched,
    fleetRows: () => [],
    cohorts: nothingWatched,
    rollout: nothingWatched,
    target: () => Promise.resolve(undefined),
    incidents: () => [],
    incidentsView: nothingWatched,
    incident: () => Promise.resolve(undefined),
    cohortIncident: () => Promise.resolve(undefined),
    capture: () => undefined,
    profile: sha256 => Promise.resolve(bySha256.get(sha256)),
    origin: () => undefined,
    // The page then shows the catalogue that it has itself.
    catalogue: nothingWatched,
    bundle: () => Promise.resolve(undefined),
    report: () => Promise.resolve(undefined),
    annotate: () => undefined,
    captureNow: () => Promise.resolve(undefined),
    metrics: () => '',
    subscribe: listener => {
      const timer = setInterval(() => listener({ kind: 'status', status: status() }), STATUS_EVERY_MS).unref();
      return () => clearInterval(timer);
    },
    stop: () => Promise.resolve(),
  };
  return { service, sha256s };
}

function nothingWatched(): never {
  throw new Refusal(404, 'This server shows profiles and watches nothing.', 'oakum watch follows targets.');
}

export interface Viewer {
  /** The page that shows the profiles, with its query. */
  readonly home: string;
  /** The lines of a source file; undefined if no served profile names it, or it cannot be read. */
  readonly readSource: (file: string) => readonly string[] | undefined;
}

/** pprof's parameters, and what the page calls them. */
const PARAMETERS: Readonly<Record<string, string>> = {
  f: 'focus',
  i: 'ignore',
  h: 'hide',
  s: 'show',
  sf: 'show_from',
  tf: 'tagfocus',
  ti: 'tagignore',
  g: 'granularity',
  si: 'si',
  unit: 'unit',
  // The functions that a flame graph is pivoted on.
  p: 'f',
};

const VIEWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {},
  flamegraph: {},
  flamegraph2: {},
  flamegraphold: {},
  graph: { tab: 'graph' },
  top: { table: 'top' },
  peek: { tab: 'peek' },
  source: { tab: 'source' },
  // There is no disassembly without the binary; the lines are the nearest.
  disasm: { tab: 'source' },
};

const MAX_LINES = 5000;

/**
 * What `oakum pprof -http` serves besides the pages: the paths of `go tool pprof -http`, so that bookmarks and habits
 * work, and source text.
 *
 *     /ui/flamegraph?f=sync&si=alloc_space     the page, with focus=sync
 *     /ui/top, /ui/graph, /ui/peek, /ui/source the page, on that view
 *     /ui/download                             the profile
 *     /api/v1/source?file=F&from=1&to=20       lines of a file that a served profile names
 */
export function viewerRoutes({ home, readSource }: Viewer): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  routes.get('/', c => c.redirect(home));
  routes.get('/api/v1/source', c => {
    const { file, from, to } = lineParameters(new URL(c.req.url));
    const lines = readSource(file);
    if (lines === undefined) throw new Refusal(404, 'This source is not here.', '-source_path says where it is.');
    return c.json({ lines: lines.slice(from - 1, Math.min(to, from + MAX_LINES)) });
  });
  for (const prefix of ['/ui', '']) {
    for (const view of Object.keys(VIEWS)) {
      if (prefix === '' && view === '') continue;
      routes.get(`${prefix}/${view}`, c => c.redirect(pageOf(home, view, new URL(c.req.url).searchParams)));
    }
    routes.get(`${prefix}/download`, c => c.redirect(downloadOf(home)));
  }
  routes.get('/ui', c => c.redirect(pageOf(home, '', new URL(c.req.url).searchParams)));
  return routes;
}

/** The page of a view of pprof, with the same filters. */
function pageOf(home: string, view: string, given: URLSearchParams): string {
  const page = new URL(home, 'http://page');
  for (const [name, value] of Object.entries(VIEWS[view] ?? {})) page.searchParams.set(name, value);
  for (const [name, value] of given) {
    // Here pprof takes its focus as the functions to show.
    const isSymbol = name === 'f' && (view === 'peek' || view === 'source' || view === 'disasm');
    const known = isSymbol ? 'f' : PARAMETERS[name];
    if (known !== undefined && value !== '') page.searchParams.set(known, value);
    if (name === 'rel' && /^(?:t|1)/i.test(value)) page.searchParams.set('relative', '1');
    if (name === 'sort' && value === 'cum') page.searchParams.set('sort', '-cum');
  }
  return page.pathname + page.search;
}

/** The later profile of a comparison. */
function downloadOf(home: string): string {
  const page = new URL(home, 'http://page');
  return `/api/v1/profiles/${page.searchParams.get('b') ?? page.pathname.slice('/p/'.length)}`;
}
