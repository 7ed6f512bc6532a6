/**
 * Profiles of the past as a pile, so that they are analysed like files that somebody took:
 *
 *     https://pyroscope.example.com/kcp-0/heap-2026-11-15T19-57-00Z.pb.gz
 */
import type { PileItem } from '../evidence/pile.ts';
import type { PastLabels, PastQuery, ProfileHistory, PastProfile, PastProfiles } from './ports.ts';
import { oneLine } from '../base/text-layout.ts';
import { Failure } from '../base/errors.ts';

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

/** Which target of a fleet a process in a continuous profiler is. `by` is the label that tells targets apart, if the user gave one. */
export function fleetName(
  targets: readonly string[],
  by: string | undefined,
): (labels: PastLabels) => string | undefined {
  const known = new Set(targets);
  return labels => {
    // The pods of a node have its label, too, but are not its kubelet.
    const ofNode = labels['pod'] === undefined ? ['node', 'hostname'] : [];
    const names = [...(by === undefined ? [] : [by]), 'instance', 'pod', ...ofNode, 'service_name', 'job'];
    return names.flatMap(name => labels[name] ?? []).find(name => known.has(name));
  };
}

/** Profiles of each kind and process that are read. */
export const SNAPSHOTS = 8;

/** The same in a watch, which keeps what it reads. */
export const PAST_MOMENTS = 4;

/** A profile, or why there is none of that time. */
export type SpreadProfile = PastProfile | { readonly atSeconds: number; readonly problem: string };

/** Some of the profiles of one kind and process, spread over the time. */
export async function* readSpread(
  history: ProfileHistory,
  profiles: PastProfiles,
  signal: AbortSignal,
  count: number = SNAPSHOTS,
): AsyncGenerator<SpreadProfile> {
  for (const atSeconds of spread(profiles.atSeconds, count)) {
    if (signal.aborted) return;
    try {
      yield await history.read(profiles, atSeconds, signal);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      yield { atSeconds, problem: oneLine(error.message) };
    }
  }
}

/** The first, the last, and others at equal distances. */
function spread(times: readonly number[], count: number): number[] {
  if (times.length <= count) return [...times];
  const chosen = Array.from({ length: count }, (_, i) => Math.round((i * (times.length - 1)) / (count - 1)));
  return chosen.flatMap(i => times[i] ?? []);
}

/** Why the history of a fleet could not be read, and what to do. */
export interface HistoryProblem {
  /** For lack of a right. */
  readonly isRefused: boolean;
  readonly sentence: string;
  readonly nextStep: string;
}

export class HistoryFailure extends Failure {
  readonly problem: HistoryProblem;

  constructor(code: 'no-answer' | 'no-evidence', problem: HistoryProblem) {
    super(code, `${problem.sentence}; ${problem.nextStep}`);
    this.problem = problem;
  }
}
