/**
 * A fleet from the store of an `oakum watch` that does not run: its samples, what its targets are, and what changed.
 */
import { AttributeLog } from '../../judge/cohorts/attribute-log.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ComparedFleet } from '../../judge/bisect/bisect.ts';
import { type DescribedTargets, descriptionsFor } from '../../evidence/read-attribute-file.ts';
import type { AttributeChange } from '../../judge/cohorts/cohort-model.ts';
import type { FleetDetector } from '../../judge/detect/detection.ts';
import type { WatchStore } from '../../store/ports.ts';
import { MEMORY_HOURS, replayStored } from './replay-stored.ts';
import { storedDescriptions } from './describe-target.ts';
import type { Attributes } from '../../evidence/target.ts';
import { Failure } from '../../base/errors.ts';

export interface StoredFleetOptions {
  /** Must be new. */
  readonly detector: FleetDetector;
  readonly timeScale: number;
  /** When to judge; the last sample by default. */
  readonly at: number | undefined;
  /** What the user says targets are. */
  readonly described: DescribedTargets | undefined;
  /** As the user named the folder. */
  readonly shown: string;
}

export interface StoredFleet {
  readonly fleet: ComparedFleet;
  readonly endSeconds: number;
}

type FleetStore = Pick<WatchStore, 'targets' | 'replay' | 'records'>;

export async function readStoredFleet(store: FleetStore, options: StoredFleetOptions): Promise<StoredFleet> {
  const { detector, described } = options;
  const hourSeconds = 3600 / options.timeScale;
  const stored = await store.targets();
  const endSeconds =
    options.at ?? stored.reduce((last, { lastSeenAt }) => Math.max(last, lastSeenAt ?? last), -Infinity);
  const from = endSeconds - MEMORY_HOURS * hourSeconds;
  const present = stored.filter(
    ({ firstSeenAt, lastSeenAt }) => lastSeenAt !== null && lastSeenAt >= from && (firstSeenAt ?? 0) <= endSeconds,
  );
  if (present.length === 0) throw new Failure('no-evidence', `${options.shown} has no samples to judge`);

  // All changes, later ones, too: what a target is now, without them, is what it was then.
  const events = groupBy(await store.records({ kind: 'event', event: 'change', since: from }), ({ target }) => target);
  const log = new AttributeLog();
  const changes: AttributeChange[] = [];
  for (const { target, attributes } of present) {
    const given = descriptionsFor(described ?? new Map(), target);
    const rows = [
      ...storedDescriptions(attributes, events.get(target) ?? []),
      ...given.map(({ atSeconds, attributes: own }) => ({ at: atSeconds, attributes: own })),
    ].filter(({ at }) => at <= endSeconds);
    for (const { at, attributes: own } of rows.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))) {
      detector.describe(target, own, at);
      changes.push(...log.describe(target, own, at));
    }
  }

  let hasKubelets = false;
  await replayStored({
    samples: store,
    now: endSeconds,
    until: endSeconds,
    hourSeconds,
    targets: present.map(({ target }) => target),
    observe: async rows => {
      for (const { target, at, values } of rows) {
        detector.observe(target, at, values);
        hasKubelets ||= 'kubelet_running_pods' in values;
      }
    },
    evaluate: async at => detector.evaluate(at),
  });
  const targets = present.map(({ target }) => ({ name: target, attributes: currentOf(log, target) }));
  return { fleet: { targets, attributeChanges: changes, hasKubelets, inputs: { notes: [] } }, endSeconds };
}

function currentOf(log: AttributeLog, target: string): Attributes {
  return Object.fromEntries([...(log.attributesOf(target) ?? [])].map(([name, { value }]) => [name, value]));
}
