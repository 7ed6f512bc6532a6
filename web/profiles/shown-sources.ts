/** What to type as the source of a profile that a page shows. */
import { localFile } from '../reader/local-files.ts';
import { status } from '../state/live.ts';

/** The file's name, what `oakum pprof -http` was given, or the address of a stored profile. */
export function sourcesOf(profileKey: string): readonly string[] {
  const file = localFile(profileKey);
  if (file !== undefined) return [file.name];
  const served = status.value?.files?.find(({ sha256 }) => sha256 === profileKey);
  return served?.sources ?? [`${location.origin}/api/v1/profiles/${profileKey}`];
}
