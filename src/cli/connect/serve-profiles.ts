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
import { expected, Failure } from '../../base/failure.ts';
import { encodeProfile } from '../../formats/pprof/encode.ts';
import type { Profile } from '../../model/profile.ts';
import { DEFAULT_CONFIG, type PprofConfig } from '../../pprof/reports/config.ts';
import type { PprofCommand } from '../../pprof/driver/flags.ts';
import { sampleIndexByName } from '../../pprof/units/sample-index.ts';
import { checkCompatible } from '../../pprof/transform/merge.ts';
import { normalizeBy } from '../../pprof/transform/scale-values.ts';
import { isLoopback, parseListenAddress, resolveHost } from '../../server/listen-address.ts';
import { profileOnlyService } from '../../server/profile-only-service.ts';
import { startServer } from '../../server/start.ts';
import { packageVersion } from '../terminal/package-version.ts';

export interface ServeOptions {
  readonly command: PprofCommand;
  /** Fetches and merges the sources; throws a `Failure`. */
  readonly fetch: (sources: readonly string[]) => Promise<Profile>;
  /** The content of a source that is a file, which the browser reads by itself. */
  readonly readWhole: (source: string) => Promise<Uint8Array | undefined>;
  readonly webFolder: string;
  readonly say: (line: string) => void;
  /** Stops serving. */
  readonly signal: AbortSignal;
}

export async function serveProfiles(options: ServeOptions): Promise<void> {
  const { command, say, signal } = options;
  const address = parseListenAddress(command.http);
  if ('problem' in address) throw new Failure('usage', `-http: ${address.problem}`);
  const { files, shown } = await filesToServe(options);
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
    home,
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
async function filesToServe({
  command,
  fetch,
  readWhole,
}: ServeOptions): Promise<{ readonly files: readonly Uint8Array[]; readonly shown: Profile }> {
  const { base: bases, sources, config } = command;
  const readOnly = async ([only, ...more]: readonly string[]): Promise<Uint8Array | undefined> =>
    only === undefined || more.length > 0 ? undefined : readWhole(only);
  const isPlain = command.buildId === '' && command.comment === '' && !config.normalize;
  // Unchanged if possible: a profile cannot hold the states and wait times of a goroutine dump.
  const fileOf = async (from: readonly string[], profile: Profile): Promise<Uint8Array> =>
    (isPlain ? await readOnly(from) : undefined) ?? packed(profile);

  const profile = await fetch(sources);
  if (bases.length === 0) return { files: [await fileOf(sources, profile)], shown: profile };
  const base = await fetch(bases).catch((error: unknown) => {
    const { code, message } = expected(error);
    throw new Failure(code, `${command.diffBase ? '-diff_base' : '-base'}: ${message}`);
  });
  const shown = config.normalize ? normalized(profile, base) : profile;
  return { files: [await fileOf(bases, base), await fileOf(sources, shown)], shown };
}

function normalized(profile: Profile, base: Profile): Profile {
  checkCompatible(profile, base);
  return normalizeBy(profile, base);
}

function packed(profile: Profile): Uint8Array {
  return gzipSync(encodeProfile(profile));
}

/** How the page opens, as parameters of its address. */
function pageQuery({ sample_index, focus, tagroot }: PprofConfig, profile: Profile): URLSearchParams {
  const query = new URLSearchParams();
  if (sample_index !== '') query.set('si', profile.sampleTypes[sampleIndexByName(profile, sample_index)]?.type ?? '');
  if (focus !== '') {
    query.set('f', focus);
    query.set('only', '1');
  }
  if (tagroot !== '') query.set('root', tagroot);
  return query;
}

const KNOWN_TO_PAGE: ReadonlySet<string> = new Set(['sample_index', 'focus', 'tagroot', 'normalize']);

/** As typed: `sort` and `granularity` are set by flags such as -cum and -lines. */
function ignoredFlags(config: PprofConfig): string[] {
  return (Object.keys(DEFAULT_CONFIG) as (keyof PprofConfig)[])
    .filter(name => !KNOWN_TO_PAGE.has(name) && config[name] !== DEFAULT_CONFIG[name])
    .map(name => `-${name === 'sort' || name === 'granularity' ? config[name] : name}`);
}
