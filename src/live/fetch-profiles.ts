/** Fetches the sources and bases of a report and merges them into one profile. */
import { cleanPath } from '../base/go-path.ts';
import type { Mapping, Profile } from '../profile/profile.ts';
import type { PprofCommand } from '../profile/pprof/flags.ts';
import { withFakeMapping } from '../profile/pprof/transform/fake-mapping.ts';
import { checkCompatible, combine } from '../profile/pprof/transform/merge.ts';
import { removeUninteresting } from '../profile/pprof/transform/prune.ts';
import { negate, normalizeBy } from '../profile/pprof/transform/scale-values.ts';
import { setLabel } from '../profile/pprof/transform/sample-labels.ts';
import { simplifyCppNames } from '../profile/pprof/transform/simplify-cpp-names.ts';
import type { ProfileSource } from './ports.ts';
import { assert, expected, expectedFailure, Failure } from '../base/errors.ts';
import type { CompileRegexp } from '../profile/pprof/go-regexp.ts';

/** Profiles fetched at once; more are merged in chunks, so that memory stays bounded. */
const CHUNK = 128;

export interface MergedProfile {
  readonly profile: Profile;
  /** Whether any of it came over the network. */
  readonly remote: boolean;
}

type Warn = (message: string) => void;

export async function fetchProfiles(
  command: PprofCommand,
  executable: string | undefined,
  source: ProfileSource,
  loadRegexp: () => Promise<CompileRegexp>,
  warn: Warn,
): Promise<MergedProfile> {
  const grab = new Grabber(command, executable, source, warn);
  const fetched = await failingAs('problem fetching source profiles', '', () => grab.all(command.sources));
  const base = await failingAs('problem fetching base profiles', ',', () => grab.all(command.base));
  if (fetched.profile === undefined) throw new Failure('unreadable', 'failed to fetch any source profiles');
  if (base.profile === undefined && command.base.length > 0)
    throw new Failure('unreadable', 'failed to fetch any base profiles');
  warnMissing('source', command.sources.length, fetched.count, warn);
  warnMissing('base', command.base.length, base.count, warn);

  let { profile } = fetched;
  if (base.profile !== undefined) profile = subtract(profile, base.profile, command);
  if (!symbolizationOff(command.symbolize)) profile = simplifyCppNames(profile);
  if (profile.dropFrames !== '' && !command.allFrames) profile = removeUninteresting(profile, await loadRegexp());
  profile = unsourceMappings(profile);
  if (command.comment !== '') profile = { ...profile, comments: [...profile.comments, command.comment] };
  return { profile, remote: fetched.remote || base.remote };
}

export function symbolizationOff(mode: string): boolean {
  return mode
    .toLowerCase()
    .split(':')
    .some(part => part === 'none' || part === 'no');
}

function warnMissing(what: string, wanted: number, got: number, warn: Warn): void {
  if (wanted !== got) warn(`Fetched ${got} ${what} profiles out of ${wanted}`);
}

async function failingAs<T>(what: string, end: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Failure('unreadable', `${what}: ${expected(error).message}${end}`);
  }
}

function subtract(profile: Profile, base: Profile, command: PprofCommand): Profile {
  // Labelled before it is negated, so that stacks of base and source never cancel and the total is that of the base.
  const marked = command.diffBase ? setLabel(base, 'pprof::base', 'true') : base;
  let scaled = profile;
  if (command.config.normalize) {
    checkCompatible(profile, base);
    scaled = normalizeBy(profile, base);
  }
  return combine([scaled, negate(marked)]);
}

interface Grabbed {
  readonly profile: Profile | undefined;
  readonly count: number;
  readonly remote: boolean;
}

class Grabber {
  private readonly command: PprofCommand;
  private readonly executable: string | undefined;
  private readonly source: ProfileSource;
  private readonly warn: Warn;

  constructor(command: PprofCommand, executable: string | undefined, source: ProfileSource, warn: Warn) {
    this.command = command;
    this.executable = executable;
    this.source = source;
    this.warn = warn;
  }

  async all(addresses: readonly string[]): Promise<Grabbed> {
    let profile: Profile | undefined;
    let count = 0;
    let remote = false;
    for (let start = 0; start < addresses.length; start += CHUNK) {
      const chunk = await this.chunk(addresses.slice(start, start + CHUNK));
      if (chunk.profile === undefined) continue;
      profile = profile === undefined ? chunk.profile : combine([profile, chunk.profile]);
      count += chunk.count;
      remote ||= chunk.remote;
    }
    return { profile, count, remote };
  }

  private async chunk(addresses: readonly string[]): Promise<Grabbed> {
    const results = await Promise.allSettled(addresses.map(address => this.source.fetch(address)));
    const profiles: Profile[] = [];
    let remote = false;
    results.forEach((result, i) => {
      if (result.status === 'rejected') {
        this.warn(`${addresses[i]}: ${reasonOf(result.reason)}`);
        return;
      }
      for (const note of result.value.notes) this.warn(`${addresses[i]}: ${note}`);
      remote ||= result.value.url !== undefined;
      profiles.push(this.withBinary(result.value.profile));
    });
    return { profile: profiles.length === 0 ? undefined : combine(profiles), count: profiles.length, remote };
  }

  /** Names the main binary as on the command line; sets its build id only if the profile has none. */
  private withBinary(source: Profile): Profile {
    const profile = withFakeMapping(source);
    const { buildId } = this.command;
    if (this.executable === undefined && buildId === '') return profile;
    const [main, ...others] = profile.mappings;
    assert(main !== undefined, 'a profile without a mapping, after one was added');
    const named: Mapping = {
      ...main,
      file: this.executable ?? main.file,
      buildId: main.buildId === '' ? buildId : main.buildId,
    };
    return { ...profile, mappings: [named, ...others] };
  }
}

/** Why a source could not be read; throws the error when it is a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const failure = expectedFailure(error);
  if (failure === undefined) throw error;
  return failure.sentence;
}

/** A mapping whose file is a URL has no file. */
function unsourceMappings(profile: Profile): Profile {
  const isUrl = (file: string): boolean => /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(file);
  if (!profile.mappings.some(({ buildId, file }) => buildId === '' && isUrl(file))) return profile;
  return {
    ...profile,
    mappings: profile.mappings.map(mapping =>
      mapping.buildId === '' && isUrl(mapping.file) ? { ...mapping, file: '' } : mapping,
    ),
  };
}

/** Where a fetched profile is kept: `pprof.BINARY.TYPE.TYPE.NNN.pb.gz`, as pprof names it. */
export function savedProfilePrefix(profile: Profile): string {
  const [main] = profile.mappings;
  const binary = main === undefined || main.file === '' ? '' : `${cleanPath(main.file).split('/').at(-1)}.`;
  return `pprof.${binary}${profile.sampleTypes.map(({ type }) => `${type}.`).join('')}`;
}
