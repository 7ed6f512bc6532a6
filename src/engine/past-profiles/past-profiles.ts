/**
 * Profiles of the past as a pile, so that they are analysed like files that somebody took:
 *
 *     https://pyroscope.example.com/kcp-0/heap-2026-11-15T19-57-00Z.pb.gz
 */
import { oneLine } from '../../base/text-layout.ts';
import type { PileItem } from '../../model/pile.ts';
import type { PastProfiles, PastQuery, ProfileHistory } from '../../ports/profile-history.ts';

/** For each kind and process. */
export const SNAPSHOTS = 8;
/** More than these are probably a mistake in the selector. */
const MAX_PROCESSES = 20;
const NAME_LABELS = ['pod', 'node', 'instance', 'hostname', 'service_name', 'comm', 'job'];

export async function* pastProfiles(
  history: ProfileHistory,
  query: PastQuery,
  count: number = SNAPSHOTS,
): AsyncGenerator<PileItem> {
  const found = await history.find(query);
  const names = [...new Set(found.map(nameOf))];
  for (const name of names.slice(MAX_PROCESSES))
    yield problem(`${history.address}/${name}`, `not read: more than ${MAX_PROCESSES} processes; select fewer`);
  const wanted = new Set(names.slice(0, MAX_PROCESSES));
  for (const profiles of found) {
    const name = nameOf(profiles);
    if (!wanted.has(name)) continue;
    for (const at of spread(profiles.atSeconds, count)) {
      const time = new Date(at * 1000).toISOString().slice(0, 19).replaceAll(':', '-');
      const path = `${history.address}/${name}/${profiles.kind}-${time}Z.pb.gz`;
      try {
        const bytes = await history.read(profiles, at, query.signal);
        yield { kind: 'member', path, bytes, mtimeSeconds: at, damage: undefined };
      } catch (error) {
        yield problem(path, oneLine((error as Error).message));
      }
    }
  }
}

/** The first, the last, and others at equal distances. */
export function spread(times: readonly number[], count: number): number[] {
  if (times.length <= count) return [...times];
  const chosen = Array.from({ length: count }, (_, i) => Math.round((i * (times.length - 1)) / (count - 1)));
  return chosen.flatMap(i => times[i] ?? []);
}

function nameOf({ labels }: PastProfiles): string {
  const [name] = NAME_LABELS.flatMap(label => labels[label] ?? []);
  return (name ?? 'process').replaceAll(/[^\w.-]+/g, '-');
}

function problem(path: string, message: string): PileItem {
  return { kind: 'problem', path, message };
}
