/** The address for dropped files: one file opens its page; of several, the earliest and the latest are compared. */
import { keepFile } from './local-files.ts';
import type { OpenedProfile } from './open-profile.ts';
import { openByKey } from './worker-client.ts';

export interface DroppedProfile {
  readonly key: string;
  readonly opened: OpenedProfile;
}

/** More files are probably a mistake. */
const MAX_FILES = 20;

/** Throws an error with the file's name if one cannot be read. */
export async function openDroppedFiles(files: readonly File[]): Promise<string> {
  const profiles: DroppedProfile[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const key = keepFile(file);
    try {
      profiles.push({ key, opened: await openByKey(key) });
    } catch (error) {
      throw new Error(`${file.name}: ${(error as Error).message}`);
    }
  }
  return addressOf(profiles);
}

export function addressOf(profiles: readonly DroppedProfile[]): string {
  const kinds = [...new Set(profiles.map(({ opened }) => opened.kind))];
  if (kinds.length > 1) {
    throw new Error(
      `These profiles are of different kinds (${kinds.join(', ')}). Drop profiles of one kind to compare them.`,
    );
  }
  const keys = inTimeOrder(profiles).map(({ key }) => key);
  return keys.length === 1 ? `/p/${keys[0]}` : `/compare?a=${keys[0]}&b=${keys.at(-1)}`;
}

/** By the time in the files; if one has none, by name, since people number their files. */
function inTimeOrder(profiles: readonly DroppedProfile[]): readonly DroppedProfile[] {
  const isTimed = profiles.every(({ opened }) => opened.takenAt !== undefined);
  return profiles.toSorted(({ opened: a }, { opened: b }) =>
    isTimed ? (a.takenAt ?? 0) - (b.takenAt ?? 0) : a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
}
