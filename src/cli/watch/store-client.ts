/** Opens the store of a watch in its own thread, so that a slow disk delays nothing else. */
import { embeddedFiles } from '../../watch/server/web-files.ts';
import { startThread } from '../../store/io/start-thread.ts';
import { openThreadedStore } from '../../store/io/threaded-store.ts';
import type { WatchStore } from '../../store/ports.ts';
import { threadBuild } from '../package-files.ts';
import { DEFAULT_LIMITS } from '../../store/codec/store-limits.ts';
import type { StoreSettings } from './open-store.ts';

/** Throws a StoreError. `died` is called if the thread ends by itself: nothing can be stored any more. */
export function openStore(settings: StoreSettings, died: (why: string) => void): Promise<WatchStore> {
  const { maxWaitingBytes } = { ...DEFAULT_LIMITS, ...settings.options.limits };
  return openThreadedStore(
    startThread(
      'store-thread',
      import.meta.url,
      settings,
      died,
      embeddedFiles()?.readText('store-thread.js'),
      threadBuild(),
    ),
    maxWaitingBytes,
  );
}
