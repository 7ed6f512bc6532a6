/**
 * Everything that `oakum watch` remembers, in one place.
 *
 *     store.addSample('node/worker-17', at, { go_goroutines: 310, ... });   // in memory
 *     store.addEvent('node/worker-17', { at, kind: 'restart', text });      // in memory
 *     await store.commit();                                                 // all of it durable, or all of it waits
 *     await store.maintain(now);                                            // a bounded piece of upkeep
 *
 * One commit per round. Consumers take the part that they use.
 */
import type { CaptureStore } from './capture-store.ts';
import type { IncidentStore } from './incident-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { PlanStore } from './plan-store.ts';
import type { SampleStore } from './sample-store.ts';
import type { SettingsStore } from './settings-store.ts';
import type { StoreSession } from './store-session.ts';

export interface WatchStore
  extends SampleStore, IncidentStore, CaptureStore, SettingsStore, OutboxStore, PlanStore, StoreSession {}
