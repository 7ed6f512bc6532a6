/** Families for tests of causes, and the packages that their stacks share. */
import type { FamilyEvidence } from '../../src/knowledge/cause-of.ts';

/** A cause, and a family that must get it. */
export type CauseCase = readonly [cause: string, family: FamilyEvidence];

export const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';
export const CACHE = 'k8s.io/client-go/tools/cache';
export const WAIT = 'k8s.io/apimachinery/pkg/util/wait';
export const GRPC = 'google.golang.org/grpc';
export const INVOKE: string = `${GRPC}.(*ClientConn).Invoke`;
export const LOOP: string = `${KUBELET}.(*podWorkers).podWorkerLoop`;

interface Shown {
  readonly state?: string;
  readonly by?: string;
  readonly minutes?: number;
}

export function goroutine(frames: readonly string[], { state, by, minutes }: Shown = {}): FamilyEvidence {
  return {
    kind: 'goroutine',
    frames,
    states: new Map(state === undefined ? [] : [[state, 10]]),
    creators: new Map(by === undefined ? [] : [[by, 10]]),
    waitMinutes: minutes === undefined ? undefined : { median: minutes, max: minutes },
  };
}

export function heap(...frames: string[]): FamilyEvidence {
  return { kind: 'heap', frames, states: new Map(), creators: new Map(), waitMinutes: undefined };
}
