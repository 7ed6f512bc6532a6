/** A store that runs in another thread; serve-store.ts is its other side. */
import type { CommitResult, StoreStatus } from '../../model/store-status.ts';
import type { ReplayPart, ReplayQuery } from '../../model/stored-samples.ts';
import { StoreError, type StoreErrorKind } from '../../ports/store-error.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import type { Thread } from './start-thread.ts';

interface WithStatus<T> {
  readonly result: T;
  readonly status: StoreStatus;
}

/** Throws a StoreError, and ends the thread then. */
export async function openThreadedStore(thread: Thread): Promise<WatchStore> {
  const ask = <T>(method: string, ...args: unknown[]): Promise<T> =>
    thread.ask<T>(method, ...args).catch((error: Error & { kind?: StoreErrorKind }) => {
      throw error.name === 'StoreError' && error.kind !== undefined ? new StoreError(error.kind, error.message) : error;
    });
  let status: StoreStatus;
  try {
    status = await ask<StoreStatus>('open');
  } catch (error) {
    await thread.close();
    throw error;
  }
  const askWithStatus = async <T>(method: string, ...args: unknown[]): Promise<T> => {
    const answer = await ask<WithStatus<T>>(method, ...args);
    status = answer.status;
    return answer.result;
  };
  /** Whether it was taken is known there; what is lost is in the status. */
  const tell =
    (method: string) =>
    (...args: unknown[]): true => {
      thread.tell(method, ...args);
      return true;
    };
  return {
    putTarget: tell('putTarget'),
    addSample: tell('addSample'),
    addEvent: tell('addEvent'),
    addVerdictChange: tell('addVerdictChange'),
    putIncident: tell('putIncident'),
    putSetting: tell('putSetting'),
    commit: () => askWithStatus<CommitResult>('commit'),
    addCapture: capture => askWithStatus('addCapture', capture),
    maintain: now => askWithStatus('maintain', now),
    targets: () => ask('targets'),
    latest: target => ask('latest', target),
    query: query => ask('query', query),
    replay: query => replay(ask, thread, query),
    events: (...args) => ask('events', ...args),
    verdictChanges: (...args) => ask('verdictChanges', ...args),
    incidents: () => ask('incidents'),
    incident: id => ask('incident', id),
    captures: target => ask('captures', target),
    capture: id => ask('capture', id),
    readProfile: sha256 => ask('readProfile', sha256),
    setting: key => ask('setting', key),
    status: () => status,
    close: async () => {
      await ask('close');
      await thread.close();
    },
  };
}

let nextReplay = 1;

/** One part at a time: whoever reads sets the pace. */
async function* replay(
  ask: <T>(method: string, ...args: unknown[]) => Promise<T>,
  thread: Thread,
  query: ReplayQuery,
): AsyncGenerator<ReplayPart> {
  const id = nextReplay++;
  await ask('replay', id, query);
  try {
    for (;;) {
      const part = await ask<ReplayPart | undefined>('replayNext', id);
      if (part === undefined) return;
      yield part;
    }
  } finally {
    thread.tell('replayEnd', id);
  }
}
