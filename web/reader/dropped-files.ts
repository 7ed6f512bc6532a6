/** Where dropped files lead: one to its page, several of one kind to be compared, earliest against latest. */
import { keepLocal } from './local-files.ts';
import type { OpenedProfile } from './open-profile.ts';
import { openStored } from './worker-client.ts';

export interface Arrival {
  readonly key: string;
  readonly opened: OpenedProfile;
}

/** Many at once are more likely a mistake than a wish. */
export const MAX_FILES = 20;

/** Throws with the file's name where one cannot be read. */
export async function arrive(files: readonly File[]): Promise<string> {
  const arrivals: Arrival[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const key = keepLocal(file);
    try {
      arrivals.push({ key, opened: await openStored(key) });
    } catch (error) {
      throw new Error(`${file.name}: ${(error as Error).message}`);
    }
  }
  return addressOf(arrivals);
}

export function addressOf(arrivals: readonly Arrival[]): string {
  const [first] = arrivals;
  if (arrivals.length === 1) return `/p/${first.key}`;
  const kinds = [...new Set(arrivals.map(({ opened }) => opened.kind))];
  if (kinds.length > 1) {
    throw new Error(`These are of different kinds (${kinds.join(', ')}); drop files of one kind to compare them.`);
  }
  const ordered = inTimeOrder(arrivals);
  return `/compare?a=${ordered[0].key}&b=${ordered[ordered.length - 1].key}`;
}

/** By the time that their content tells, else by name, as people number their files. */
function inTimeOrder(arrivals: readonly Arrival[]): readonly Arrival[] {
  const timed = arrivals.every(({ opened }) => opened.takenAt !== undefined);
  return [...arrivals].sort((a, b) =>
    timed ? a.opened.takenAt! - b.opened.takenAt! : a.opened.name.localeCompare(b.opened.name, 'en', { numeric: true }),
  );
}
