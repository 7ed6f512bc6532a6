/** The side of a thread that holds a store; threaded-store.ts is the other. */
import { type PackedShape, unpackRows } from '../../codec/packed-rows.ts';
import type { WatchStore } from '../../ports.ts';
import { type MessageEnd, serveCalls } from './thread-messages.ts';
import type { WithStatus } from './threaded-store.ts';
import type { NewCapture, ReplayPart, ReplayQuery, SampleQuery } from '../../records.ts';
import { assert } from '../../../base/errors.ts';

/** `open` is called once, when the other side asks for it. In a thread, over the port to whoever started it. */
export function serveStore(open: () => Promise<WatchStore>, port?: MessageEnd): void {
  let opened: WatchStore | undefined;
  const replays = new Map<number, AsyncIterator<ReplayPart>>();
  const store = (): WatchStore => {
    assert(opened !== undefined, 'the store is not open');
    return opened;
  };
  const withStatus = <T>(result: T): WithStatus<T> => ({ result, status: store().status() });
  const methods = {
    open: async () => {
      opened = await open();
      return opened.status();
    },
    putTarget: (...args: Parameters<WatchStore['putTarget']>) => store().putTarget(...args),
    addSamples: (shapes: readonly PackedShape[]) => {
      for (const { target, at, values } of unpackRows(shapes)) store().addSample(target, at, values);
    },
    addEvent: (...args: Parameters<WatchStore['addEvent']>) => store().addEvent(...args),
    addVerdictChange: (...args: Parameters<WatchStore['addVerdictChange']>) => store().addVerdictChange(...args),
    putIncident: (...args: Parameters<WatchStore['putIncident']>) => store().putIncident(...args),
    putSetting: (...args: Parameters<WatchStore['putSetting']>) => store().putSetting(...args),
    putNotice: (...args: Parameters<WatchStore['putNotice']>) => store().putNotice(...args),
    dropNotice: (...args: Parameters<WatchStore['dropNotice']>) => store().dropNotice(...args),
    notices: () => store().notices(),
    addPlan: (...args: Parameters<WatchStore['addPlan']>) => store().addPlan(...args),
    addPlanRecord: (...args: Parameters<WatchStore['addPlanRecord']>) => store().addPlanRecord(...args),
    plans: () => store().plans(),
    planRecords: (planId: string) => store().planRecords(planId),
    commit: async () => withStatus(await store().commit()),
    addCapture: async (capture: NewCapture) => withStatus(await store().addCapture(capture)),
    maintain: async (now: number) => withStatus(await store().maintain(now)),
    targets: (only: readonly string[] | undefined) => store().targets(only),
    latest: (target: string) => store().latest(target),
    query: (query: SampleQuery) => store().query(query),
    events: (...args: Parameters<WatchStore['events']>) => store().events(...args),
    eventsOfKind: (...args: Parameters<WatchStore['eventsOfKind']>) => store().eventsOfKind(...args),
    verdictChanges: (...args: Parameters<WatchStore['verdictChanges']>) => store().verdictChanges(...args),
    incidents: () => store().incidents(),
    incident: (id: string) => store().incident(id),
    captures: (target: string | undefined) => store().captures(target),
    capture: (id: string) => store().capture(id),
    readProfile: (sha256: string) => store().readProfile(sha256),
    setting: (key: string) => store().setting(key),
    replay: (id: number, query: ReplayQuery) => void replays.set(id, store().replay(query)[Symbol.asyncIterator]()),
    replayNext: async (id: number) => {
      const next = await replays.get(id)?.next();
      if (next === undefined || next.done === true) {
        replays.delete(id);
        return undefined;
      }
      return next.value;
    },
    replayEnd: async (id: number) => {
      await replays.get(id)?.return?.();
      replays.delete(id);
    },
    close: () => store().close(),
  };
  serveCalls(methods, port);
}
