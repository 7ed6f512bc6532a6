/** The state of watch itself. */
import type { WatchStatus } from '../watch-model.ts';
import { isSelf } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { ReplicasView } from '../replicas/ports.ts';

const MAX_SILENT = 200;

export function statusView(state: WatchState, lastRoundSeconds: number | undefined): WatchStatus {
  const { options, ports, targets } = state;
  const silent: { target: string; why: string }[] = [];
  let targetCount = 0;
  for (const { name, silentWhy } of targets.values()) {
    if (!isSelf(name)) targetCount++;
    if (silentWhy !== undefined && silent.length < MAX_SILENT) silent.push({ target: name, why: silentWhy });
  }
  const { bytes, degraded } = ports.store.status();
  const missingRights = state.missingRights.at(ports.clock.now());
  if (!options.capturesAllowed)
    missingRights.push({
      why: 'off',
      what: `evidence is not taken before a kill: ${options.mode === 'prometheus' ? 'a Prometheus has no profiles' : 'captures are off'}`,
      command: 'oakum watch --capture',
    });
  return {
    schema: 'oakum.status/v1',
    version: options.oakumVersion,
    mode: options.mode,
    cluster: options.cluster,
    ...(state.clusters.isEmpty ? {} : { clusters: state.clusters.view(targets.values()) }),
    startedAt: state.startedAt,
    now: ports.clock.now(),
    pace: options.pace,
    targetCount,
    lastRoundSeconds: lastRoundSeconds ?? null,
    silent,
    capturesAllowed: options.capturesAllowed,
    missingRights,
    store: { bytes, degraded },
    ...(state.share.id === undefined ? {} : { replicas: replicasView(state, state.share.id) }),
    grafana: options.grafana ?? null,
    story: state.story.events,
  };
}

/** Who shares the targets, and how. */
export function replicasView({ share, targets }: Pick<WatchState, 'share' | 'targets'>, id: string): ReplicasView {
  const shares: Record<string, number> = Object.fromEntries(share.members.map(one => [one.id, 0]));
  for (const name of targets.keys()) {
    const owner = isSelf(name) ? undefined : share.ownerOf(name);
    if (owner !== undefined) shares[owner] = (shares[owner] ?? 0) + 1;
  }
  const { members, leader, isLeader, trouble } = share;
  return { id, members, leader, isLeader, shares, trouble };
}
