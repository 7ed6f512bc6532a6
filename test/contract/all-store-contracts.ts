/** The contracts of every part of a WatchStore. */
import { captureStoreContract } from './capture-store-contract.ts';
import { incidentStoreContract } from './incident-store-contract.ts';
import { outboxStoreContract } from './outbox-store-contract.ts';
import { planStoreContract } from './plan-store-contract.ts';
import { sampleStoreContract } from './sample-store-contract.ts';
import { settingsStoreContract } from './settings-store-contract.ts';
import { storeSessionContract } from './store-session-contract.ts';
import type { StoreImplementation } from './store-under-test.ts';

export function allStoreContracts(implementation: StoreImplementation): void {
  sampleStoreContract(implementation);
  incidentStoreContract(implementation);
  captureStoreContract(implementation);
  settingsStoreContract(implementation);
  outboxStoreContract(implementation);
  planStoreContract(implementation);
  storeSessionContract(implementation);
}
