/** What the profiles of a fleet prove that a continuous profiler has: evidence apart from the growth of its metrics. */
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type OwnProof, ownProofs } from '../../judge/bisect/own-proofs.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { fleetName } from '../../live/history/fleet-name.ts';
import { pastProfiles, pathPart } from '../../live/history/past-profiles.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Io } from '../terminal/io.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import { noProfiles, openProfiler, type ProfilerRequest } from './past-profiles.ts';

export interface ProfiledFleet {
  readonly targets: readonly string[];
  /** The label that tells targets apart; undefined for the usual ones. */
  readonly by: string | undefined;
  readonly toSeconds: number;
  readonly catalogue: readonly KnownLeak[];
  readonly io: Io;
}

export interface ProvedByProfiler {
  readonly proofs: readonly OwnProof[];
  /** Where the profiles come from, and how much they say. */
  readonly note: string;
}

export async function provedByProfiler(request: ProfilerRequest, fleet: ProfiledFleet): Promise<ProvedByProfiler> {
  const { selector, sinceSeconds } = request;
  const { toSeconds, catalogue, io } = fleet;
  const history = openProfiler(request, io);
  const stop = stopSignal();
  try {
    const nameOf = fleetName(fleet.targets, fleet.by);
    const query = {
      selector,
      accepts: (labels: Readonly<Record<string, string>>) => nameOf(labels) !== undefined,
      fromSeconds: toSeconds - sinceSeconds,
      toSeconds,
      signal: stop.signal,
    };
    const items = pastProfiles(history, query, labels => nameOf(labels) ?? '');
    const pile = await readPile(items, { families: familiesOf, keepStacks: false });
    for (const { path, message } of pile.unread) io.stderr.write(`oakum: ${oneLine(path)}: ${oneLine(message)}\n`);
    const read = new Set(pile.snapshots.map(({ process }) => process.target));
    if (read.size === 0) return { proofs: [], note: `${history.address}: ${noProfiles(selector)}` };
    const byPart = new Map(fleet.targets.map(name => [pathPart(name), name]));
    const proofs = ownProofs(analyzePile(pile, { catalogue })).map(proof => ({
      ...proof,
      target: byPart.get(proof.target) ?? proof.target,
    }));
    const proved = new Set(proofs.map(({ target }) => target)).size;
    const note = `${history.address} has profiles of ${read.size} of the targets; those of ${proved} prove a leak by themselves`;
    return { proofs, note };
  } finally {
    stop.release();
  }
}
