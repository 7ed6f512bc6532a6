/**
 * What `oakum pprof -http` serves besides the pages: the paths of `go tool pprof -http`, so that bookmarks and habits
 * work, and source text.
 *
 *     /ui/flamegraph?f=sync&si=alloc_space     the page, with focus=sync
 *     /ui/top, /ui/graph, /ui/peek, /ui/source the page, on that view
 *     /ui/download                             the profile
 *     /api/v1/source?file=F&from=1&to=20       lines of a file that a served profile names
 */
import { Hono } from 'hono';
import { lineParameters } from './parameters.ts';
import { Refusal, type ServerEnv } from './refusal.ts';

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
