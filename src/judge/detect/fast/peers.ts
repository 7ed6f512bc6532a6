/**
 * What other processes of the same program usually have: a process that has just started has no level of its own, but
 * replicas of one job and kubelets of one pool are alike.
 *
 *     job=indexer   a 210 MB   b 190 MB   c (an hour old) 160 MB -> 480 MB     c has 2.4 times what its peers have
 *
 * Only settled hours of the last two days count, and no life that leaks.
 */
import type { ResourceState, TargetState } from '../target-state.ts';

interface Peer {
  readonly target: TargetState;
  readonly usual: number;
}

const HOURS = 48;
const MIN_HOURS = 3;

/** What a target is described as, by attribute. */
type Described = ReadonlyMap<string, { readonly value: string }>;

/** The job that it is scraped as, or the kubelet; by pool, where there are pools. */
export function programOf({ pods }: Pick<TargetState, 'pods'>, described: Described | undefined): string | undefined {
  const job = described?.get('job')?.value || (pods === undefined ? '' : 'kubelet');
  return job === '' ? undefined : `${job}\0${described?.get('pool')?.value ?? ''}`;
}

export class Peers {
  readonly #targets: () => Iterable<TargetState>;
  readonly #programOf: (target: TargetState) => string | undefined;
  /** Of the hour that was asked for last, by program; and by program and resource. */
  #hour = NaN;
  #programs: Map<string, TargetState[]> | undefined;
  readonly #peers = new Map<string, readonly Peer[]>();

  constructor(targets: () => Iterable<TargetState>, programOf: (target: TargetState) => string | undefined) {
    this.#targets = targets;
    this.#programOf = programOf;
  }

  /** The median of the others; NaN if there are none, or nothing says which program it is. */
  usualOf(target: TargetState, { rule }: ResourceState, hour: number): number {
    const program = this.#programOf(target);
    if (program === undefined) return NaN;
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#programs = undefined;
      this.#peers.clear();
    }
    const key = `${program}\0${rule.resource}`;
    let peers = this.#peers.get(key);
    if (peers === undefined) this.#peers.set(key, (peers = this.#peersIn(program, rule, hour)));
    return medianOf(peers.flatMap(peer => (peer.target === target ? [] : [peer.usual])));
  }

  #peersIn(program: string, rule: ResourceState['rule'], hour: number): Peer[] {
    return (this.#byProgram().get(program) ?? []).flatMap(target => {
      const resource = target.resources.find(one => one.rule === rule);
      const levels = resource === undefined ? [] : settledLevels(target, resource, hour);
      return levels.length < MIN_HOURS ? [] : [{ target, usual: medianOf(levels) }];
    });
  }

  #byProgram(): Map<string, TargetState[]> {
    if (this.#programs !== undefined) return this.#programs;
    const programs = new Map<string, TargetState[]>();
    for (const target of this.#targets()) {
      const program = this.#programOf(target);
      if (program === undefined) continue;
      const others = programs.get(program);
      if (others === undefined) programs.set(program, [target]);
      else others.push(target);
    }
    return (this.#programs = programs);
  }
}

function settledLevels(target: TargetState, { column, leakyEpochs }: ResourceState, hour: number): number[] {
  const levels: number[] = [];
  for (let bin = Math.max(target.firstBin, hour - HOURS); bin < hour; bin++) {
    if (!target.isSettledAt(bin) || leakyEpochs.has(target.epochAt(bin))) continue;
    const level = column.at(bin);
    if (!Number.isNaN(level)) levels.push(level);
  }
  return levels;
}

function medianOf(values: number[]): number {
  return values.length === 0 ? NaN : values.sort((a, b) => a - b)[values.length >> 1];
}
