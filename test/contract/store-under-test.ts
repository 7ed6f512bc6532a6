/** One store for one test: initially empty, closed and removed at the end. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { WatchStore } from '../../src/store/ports.ts';

export interface StoreImplementation {
  readonly name: string;
  /** Whether its content survives a restart. */
  readonly isLasting: boolean;
  /** Whether it has a disk that may refuse. */
  readonly hasDisk: boolean;
  make(t: TestContext, options?: StoreOptions): Promise<StoreUnderTest>;
}

export interface StoreOptions {
  readonly maxWaitingBytes?: number;
}

export interface StoreUnderTest {
  readonly store: WatchStore;
  /** Closes the store and opens it again, if it is persistent. */
  readonly reopen?: () => Promise<WatchStore>;
  /** Makes its disk refuse, or work again. */
  readonly refuseWrites?: (isRefusing: boolean) => void | Promise<void>;
}

export async function reopened({ reopen }: StoreUnderTest): Promise<WatchStore> {
  assert.ok(reopen !== undefined);
  return reopen();
}

export async function refuseWrites({ refuseWrites: refuse }: StoreUnderTest, isRefusing: boolean): Promise<void> {
  assert.ok(refuse !== undefined);
  await refuse(isRefusing);
}

/** A midnight. */
export const T0 = 1_794_700_800;
