/**
 * `oakum pprof -http=HOST:PORT`: profiles in the web UI, until Ctrl-C.
 *
 *     one source, or several merged        /p/SHA256
 *     with -base or -diff_base             /compare?a=SHA256&b=SHA256
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cleanPath } from '../../base/go-path.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import type { Profile } from '../../profile/profile.ts';
import { DEFAULT_CONFIG, type PprofConfig } from '../../profile/pprof/reports/config.ts';
import type { PprofCommand } from '../../profile/pprof/flags.ts';
import type { SourceReader } from '../../profile/pprof/reports/list.ts';
import { sampleIndexByName } from '../../profile/pprof/sample-index.ts';
import { checkCompatible } from '../../profile/pprof/transform/merge.ts';
import { normalizeBy } from '../../profile/pprof/transform/scale-values.ts';
import { isLoopback, parseListenAddress, resolveHost } from '../../watch/server/listen-address.ts';
import { profileOnlyService, type ServedFile } from '../../watch/server/served-profiles.ts';
import { startServer } from '../../watch/server/start.ts';
import { packageVersion } from '../package-files.ts';
import { expected, Failure } from '../../base/errors.ts';

export interface ServeOptions {
  readonly command: PprofCommand;
  /** Fetches and merges the sources; throws a `Failure`. */
  readonly fetch: (sources: readonly string[]) => Promise<Profile>;
  /** The content of a source that is a file, which the browser reads by itself. */
  readonly readWhole: (source: string) => Promise<Uint8Array | undefined>;
  /** The text of a source file, searched as -source_path says. */
  readonly readSource: SourceReader;
  readonly webFolder: string;
  readonly say: (line: string) => void;
  /** Stops serving. */
  readonly signal: AbortSignal;
}

export async function serveProfiles(options: ServeOptions): Promise<void> {
  const { command, say, signal } = options;
  const address = parseListenAddress(command.http);
  if ('problem' in address) throw new Failure('usage', `-http: ${address.problem}`);
  const { files, profiles, shown } = await filesToServe(options);
  const page = pageQuery(command.config, shown);
  const ignored = ignoredFlags(command.config);
  if (ignored.length > 0) say(`Ignored on the page: ${ignored.join(' ')}`);
  const title = [command.base, command.sources]
    .filter(({ length }) => length > 0)
    .map(names => names.map(name => basename(name)).join(', '))
    .join(' → ');
  const { service, sha256s } = profileOnlyService({ title, version: packageVersion(), files });
  const [first = '', second] = sha256s;
  const path = second === undefined ? `/p/${first}` : '/compare';
  const search = new URLSearchParams(second === undefined ? {} : { a: first, b: second });
  for (const [name, value] of page) search.set(name, value);
  const home = search.size === 0 ? path : `${path}?${search}`;

  const ip = await resolveHost(address.host);
  const token = ip === undefined || isLoopback(ip) ? undefined : randomBytes(20).toString('hex');
  const server = await startServer({
    service,
    ...address,
    ...(token === undefined ? {} : { token }),
    viewer: { home, readSource: sourceReader(profiles, options.readSource) },
    webFolder: options.webFolder,
    log: say,
  });
  try {
    const link = token === undefined ? home : `/login?token=${token}&to=${encodeURIComponent(home)}`;
    say(`Serving web UI on ${server.url}${link}`);
    if (token !== undefined) say('Others can reach this address; anyone with the link gets in.');
    say('Open it in a browser. Ctrl-C stops it.');
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await server.stop();
  }
}

/** The base, if any, then `shown`, the profile that the page opens with. */
async function filesToServe({ command, fetch, readWhole }: ServeOptions): Promise<{
  readonly files: readonly ServedFile[];
  readonly profiles: readonly Profile[];
  readonly shown: Profile;
}> {
  const { base: bases, sources, config } = command;
  const readOnly = async ([only, ...more]: readonly string[]): Promise<Uint8Array | undefined> =>
    only === undefined || more.length > 0 ? undefined : readWhole(only);
  const isPlain = command.buildId === '' && command.comment === '' && !config.normalize;
  // Unchanged if possible: a profile cannot hold the states and wait times of a goroutine dump.
  const fileOf = async (from: readonly string[], profile: Profile): Promise<ServedFile> => ({
    bytes: (isPlain ? await readOnly(from) : undefined) ?? packed(profile),
    sources: from,
  });

  const profile = await fetch(sources);
  if (bases.length === 0) return { files: [await fileOf(sources, profile)], profiles: [profile], shown: profile };
  const base = await fetch(bases).catch((error: unknown) => {
    const { code, message } = expected(error);
    throw new Failure(code, `${command.diffBase ? '-diff_base' : '-base'}: ${message}`);
  });
  const shown = config.normalize ? normalized(profile, base) : profile;
  return { files: [await fileOf(bases, base), await fileOf(sources, shown)], profiles: [base, shown], shown };
}

/** Reads only files that a profile names: the server must not show any other. */
function sourceReader(
  profiles: readonly Profile[],
  readSource: SourceReader,
): (file: string) => readonly string[] | undefined {
  const named = new Map<string, string>();
  for (const { functions, strings } of profiles) {
    for (const index of functions.filename) {
      const file = strings[index] ?? '';
      named.set(cleanPath(file), file);
    }
  }
  return file => {
    const path = named.get(file) ?? '';
    if (!/\.\w+$/.test(path)) return undefined;
    const found = readSource(path);
    return 'lines' in found ? found.lines : undefined;
  };
}

function normalized(profile: Profile, base: Profile): Profile {
  checkCompatible(profile, base);
  return normalizeBy(profile, base);
}

function packed(profile: Profile): Uint8Array {
  return gzipSync(encodeProfile(profile));
}

/** How the page opens, as parameters of its address. */
function pageQuery(config: PprofConfig, profile: Profile): URLSearchParams {
  const query = new URLSearchParams();
  const { sample_index, tagroot, granularity } = config;
  if (sample_index !== '') query.set('si', profile.sampleTypes[sampleIndexByName(profile, sample_index)]?.type ?? '');
  for (const word of FILTER_WORDS) if (config[word] !== '') query.set(word, config[word]);
  if (granularity !== '' && granularity !== 'functions') query.set('granularity', granularity);
  if (config.relative_percentages) query.set('relative', '1');
  if (config.unit !== DEFAULT_CONFIG.unit) query.set('unit', config.unit);
  if (config.sort === 'cum') query.set('sort', '-cum');
  if (tagroot !== '') query.set('root', tagroot);
  return query;
}

const FILTER_WORDS = ['focus', 'ignore', 'hide', 'show', 'show_from', 'tagfocus', 'tagignore'] as const;

const KNOWN_TO_PAGE: ReadonlySet<string> = new Set([
  ...FILTER_WORDS,
  ...[
    'sample_index',
    'tagroot',
    'source_path',
    'trim_path',
    'normalize',
    'granularity',
    'relative_percentages',
    'unit',
    'sort',
  ],
]);

function ignoredFlags(config: PprofConfig): string[] {
  return (Object.keys(DEFAULT_CONFIG) as (keyof PprofConfig)[])
    .filter(name => !KNOWN_TO_PAGE.has(name) && config[name] !== DEFAULT_CONFIG[name])
    .map(name => `-${name}`);
}
