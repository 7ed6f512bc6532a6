/** -sample_index: selects the sample value that a report shows. */
import type { Profile } from '../profile.ts';
import { basename } from '../../base/go-path.ts';
import { Failure } from '../../base/errors.ts';

/** By number or by name; `inuse_X` also names a type `X`. Without either, the profile's default or the last type. */
export function sampleIndexByName(profile: Profile, wanted: string): number {
  const types = profile.sampleTypes.map(({ type }) => type);
  if (types.length === 0) throw new Failure('usage', 'profile has no samples');
  if (wanted === '') {
    const preferred = profile.defaultSampleType === '' ? -1 : types.indexOf(profile.defaultSampleType);
    return preferred >= 0 ? preferred : types.length - 1;
  }
  if (/^[+-]?[0-9]+$/.test(wanted)) {
    const index = Number(wanted);
    if (index < 0 || index >= types.length) {
      throw new Failure('usage', `sample_index ${wanted} is outside the range [0..${types.length - 1}]`);
    }
    return index;
  }
  const plain = wanted.startsWith('inuse_') ? wanted.slice('inuse_'.length) : wanted;
  const index = types.findIndex(type => type === wanted || type === plain);
  if (index < 0)
    throw new Failure('usage', `sample_index ${JSON.stringify(wanted)} must be one of: [${types.join(' ')}]`);
  return index;
}

/** Shortens function names for drawings: no package path, namespace or module version. */
const ANONYMOUS = /^\(anonymous namespace\)::/;
const GO_MODULE_VERSION = /^(.*?)\/v(?:[2-9]|[1-9][0-9]+)([./].*)$/;
const GO = /^(?:[\w\-.]+\/)+([^.]+\..+)/;
const JAVA = /^(?:[a-z]\w*\.)*([A-Z][\w$]*\.(?:<init>|[a-z][\w$]*(?:\$\d+)?))(?:(?:\()|$)/;
const CPP = /^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)/;

export function shortenFunctionName(name: string): string {
  const plain = name.replace(ANONYMOUS, '').replace(GO_MODULE_VERSION, '$1$2');
  for (const pattern of [GO, JAVA, CPP]) {
    const match = pattern.exec(plain);
    if (match !== null) return match[1];
  }
  return plain;
}

/** Shortens source paths in a profile: by -trim_path, or by guessing from -source_path. */
export function pathTrimmer(trimPath: string, sourcePath: string): (path: string) => string {
  // Without -trim_path, a path that contains the name of a source directory is cut after it.
  const guesses =
    trimPath === ''
      ? sourcePath
          .split(':')
          .filter(dir => sourcePath !== '' || dir !== '')
          .map(dir => `/${basename(dir)}/`)
      : [];
  const prefixes = [...(trimPath === '' ? [] : trimPath.split(':')), '/proc/self/cwd/./', '/proc/self/cwd/'].map(
    prefix => (prefix.endsWith('/') ? prefix : `${prefix}/`),
  );
  return path => {
    for (const guess of guesses) {
      const at = path.indexOf(guess);
      if (at >= 0) return path.slice(at + guess.length);
    }
    const prefix = prefixes.find(candidate => path.startsWith(candidate));
    return prefix === undefined ? path : path.slice(prefix.length);
  };
}
