/** The nodes as they are judged now, worst first. */
import { compareVerdicts } from '../../judge/verdict.ts';
import { nodeName } from '../../evidence/target.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { targetSentence } from '../incidents/phrases.ts';
import { causeOf } from './target-view.ts';
import type { NodeStanding } from '../fleet/fleet.ts';

/** `cluster`: where there are several. */
export function nodeStandings(state: WatchState, cluster?: string): NodeStanding[] {
  const now = state.ports.clock.now();
  const all = [...state.targets.values()].flatMap(target => {
    // First what is cheap: with a hundred clusters, each is asked for.
    const node = target.cluster === cluster ? nodeName(target.name) : undefined;
    if (node === undefined) return [];
    const hours = target.worst?.timeToLimitHours?.[0] ?? Infinity;
    const standing: NodeStanding = {
      node,
      verdict: target.verdict?.verdict ?? 'unknown',
      sentence: targetSentence(target, now),
      leakRef: causeOf(state, target)?.ref ?? null,
      incidentId: target.incidentId ?? null,
      startSeconds: target.startSeconds ?? null,
      isOfThisLife: isOfThisLife(state, target, now),
    };
    return [{ standing, hours }];
  });
  all.sort((a, b) => compareVerdicts(a.standing.verdict, b.standing.verdict) || a.hours - b.hours);
  return all.map(({ standing }) => standing);
}

/** In the detector's hours: by then the new process speaks for itself, however the slopes compare. */
const SETTLED_HOURS = 48;

/** The detector looks across restarts, so that it proves a leak sooner; right after one it still tells of the old process. */
function isOfThisLife({ incidents, options }: WatchState, target: WatchedTarget, now: number): boolean {
  const subject = incidents.ofTarget(target.incidentId)?.subject;
  if (subject?.afterRestart?.verdict !== 'too early') return true;
  const age = now - (target.startSeconds ?? now);
  return age >= SETTLED_HOURS * options.hourSeconds;
}
