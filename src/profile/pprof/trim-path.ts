/** Shortens source paths in a profile: by -trim_path, or by guessing from -source_path. */
import { basename } from '../../base/go-path.ts';

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
