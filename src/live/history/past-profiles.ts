/**
 * Profiles of the past as a pile, so that they are analysed like files that somebody took:
 *
 *     https://pyroscope.example.com/kcp-0/heap-2026-11-15T19-57-00Z.pb.gz
 */
import type { PileItem } from '../../evidence/pile.ts';
import type { PastLabels, PastQuery, ProfileHistory } from '../profile-history.ts';
import { readSpread } from './read-spread.ts';

/** More than these are probably a mistake in the selector. */
const MAX_PROCESSES = 20;
const NAME_LABELS = ['pod', 'node', 'instance', 'hostname', 'service_name', 'comm', 'job'];

/** `nameOf` gives the name of a process; by default, what its labels call it. */
export async function* pastProfiles(
  history: ProfileHistory,
  query: PastQuery,
  nameOf: (labels: PastLabels) => string = nameIn,
): AsyncGenerator<PileItem> {
  const found = await history.find(query);
  const names = [...new Set(found.map(({ labels }) => nameOf(labels)))];
  for (const name of names.slice(MAX_PROCESSES))
    yield problem(
      `${history.address}/${pathPart(name)}`,
      `not read: more than ${MAX_PROCESSES} processes; select fewer`,
    );
  const wanted = new Set(names.slice(0, MAX_PROCESSES));
  for (const profiles of found) {
    const name = nameOf(profiles.labels);
    if (!wanted.has(name)) continue;
    for await (const one of readSpread(history, profiles, query.signal)) {
      const time = new Date(one.atSeconds * 1000).toISOString().slice(0, 19).replaceAll(':', '-');
      const path = `${history.address}/${pathPart(name)}/${profiles.kind}-${time}Z.pb.gz`;
      if ('problem' in one) yield problem(path, one.problem);
      else yield { kind: 'member', path, bytes: one.bytes, mtimeSeconds: one.atSeconds, damage: undefined };
    }
  }
}

/** A name as it is in the path of a profile. */
export function pathPart(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-');
}

function nameIn(labels: PastLabels): string {
  const [name = 'process'] = NAME_LABELS.flatMap(label => labels[label] ?? []);
  return name;
}

function problem(path: string, message: string): PileItem {
  return { kind: 'problem', path, message };
}
