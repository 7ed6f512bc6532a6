/** The side of a thread that holds a store; threaded-store.ts is the other. */
import { eachRow, type PackedShape } from '../../codec/packed-rows.ts';
import type { ServedStore, WatchStore } from '../../ports.ts';
import { type MessageEnd, serveCalls } from './thread-messages.ts';
import type { WithStatus } from './threaded-store.ts';
import type { NewCapture, NewRecord, RecordQuery, ReplayPart, ReplayQuery, SampleQuery } from '../../records.ts';
import { assert } from '../../../base/errors.ts';

/** `open` is called once, when the other side asks for it. In a thread, over the port to whoever started it. */
export function serveStore(open: () => Promise<ServedStore>, port?: MessageEnd): void {
  let opened: ServedStore | undefined;
  const replays = new Map<number, AsyncIterator<ReplayPart>>();
  const store = (): ServedStore => {
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
      eachRow(shapes, (...row) => store().addValues(...row));
    },
    put: (record: NewRecord) => store().put(record),
    records: (query: RecordQuery) => store().records(query),
    commit: async () => withStatus(await store().commit()),
    addCapture: async (capture: NewCapture) => withStatus(await store().addCapture(capture)),
    maintain: async (now: number) => withStatus(await store().maintain(now)),
    targets: (only: readonly string[] | undefined) => store().targets(only),
    latest: (target: string) => store().latest(target),
    query: (query: SampleQuery) => store().query(query),
    readProfile: (sha256: string) => store().readProfile(sha256),
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
