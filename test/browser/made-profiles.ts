/** Our own captures as the server would return them, under names instead of digests. */
import { readFileSync } from 'node:fs';
import { madeStatus } from './made-fleet.ts';
import type { Answers } from './ui-server.ts';

const CAPTURES = new URL('../fixtures/captures/leakdemo/', import.meta.url);

export function capture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, CAPTURES)));
}

export function madeProfiles(): Answers {
  return {
    '/status': madeStatus(),
    '/profiles/dump': capture('go1.26-leakexp-labels/t3/goroutine.debug2.txt'),
    '/profiles/ages': capture('../ages/leaky/t12/goroutine.debug2.txt.gz'),
    '/profiles/heap': capture('go1.26/t3/heap.debug0.pb.gz'),
    '/profiles/heap-before': capture('go1.26/t0/heap.debug0.pb.gz'),
    '/profiles/goroutines': capture('go1.26/t3/goroutine.debug0.pb.gz'),
    '/profiles/goroutines-before': capture('go1.26/t0/goroutine.debug0.pb.gz'),
  };
}
