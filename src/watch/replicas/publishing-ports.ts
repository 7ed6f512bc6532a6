/** The ports of a watch whose commits are sent to the other replicas. */
import { withMethods } from '../../base/with-methods.ts';
import type { Exchange } from './ports.ts';
import type { ReplicaUpdate } from './update.ts';
import type { UpdateDraft } from './update-draft.ts';
import type { WatchPorts } from '../state/watch-state.ts';

export function publishingPorts(ports: WatchPorts, draft: UpdateDraft, exchange: Exchange): WatchPorts {
  const { store } = ports;
  /** Committed, and not published yet. */
  let committed: ReplicaUpdate | undefined;
  return {
    ...ports,
    store: withMethods(store, {
      putTarget(target, attributes) {
        store.putTarget(target, attributes);
        draft.putAttributes(target, attributes);
      },
      addSample(target, at, values) {
        const isTaken = store.addSample(target, at, values);
        if (isTaken) draft.addSample({ target, at, values });
        return isTaken;
      },
      put(given) {
        if (given.kind === 'incident') draft.putIncident(given.record);
        return store.put(given);
      },
      async addCapture(capture) {
        const stored = await store.addCapture(capture);
        draft.addCapture(stored);
        return stored;
      },
      async commit() {
        const batch = draft.take();
        const result = await store.commit();
        if (batch !== undefined) {
          if (result.committed && committed === undefined) committed = batch;
          else draft.restore(batch);
        }
        if (committed !== undefined) {
          const update = committed;
          // If it fails, it is tried again after the next commit.
          await exchange.publish(update).then(
            () => (committed = undefined),
            () => {},
          );
          if (committed === undefined && update.verdicts.length > 0)
            await exchange.putVerdicts(update.verdicts).catch(() => {});
        }
        return result;
      },
    }),
  };
}
