/**
 * Who holds the lock that a family waits for, as far as the stacks of one dump show it. A dump does not say who holds
 * a lock, but the holder is past Lock in code of the same type, and waits for something else:
 *
 *     30  sync.(*Mutex).Lock  main.(*Server).handle          wait for the lock of main.(*Server)
 *      1  main.(*Server).flush ← chan send                   past Lock in the same type: the likely holder
 *
 *      1  sync.(*Mutex).Lock  (*Cache).get  (*Cache).refresh  its own caller holds it: deadlocks itself
 *
 *      1  sync.(*Mutex).Lock  (*Owner).note       (*Account).pay      holds Account, waits for Owner
 *      1  sync.(*Mutex).Lock  (*Account).balance  (*Owner).close      holds Owner, waits for Account: a ring
 */
import type { LockChain, LockLink } from '../analysis.ts';
import type { FamilyCount, FamilyTable } from '../../profile/families/family.ts';
import { functionOf, packageOf, shortName } from '../../profile/families/normalise.ts';
import { causeOfCount } from './finding.ts';
import { formatAge } from '../../base/say.ts';

const UNCLEAR =
  'other goroutines run code of it, but none clearly past Lock; a dump with debug=2 shows what they wait for';

const NOBODY = 'no goroutine is past Lock in its code: the holder returned without unlocking, or it is in other code';

const LOCKS = new Set(['sync.(*Mutex).Lock', 'sync.(*RWMutex).Lock', 'sync.(*RWMutex).RLock']);
const MAX_LINKS = 5;

interface LockWait {
  /** `sync.(*RWMutex).RLock` */
  readonly lock: string;
  /** Index of the frame that called Lock, and the type whose lock it is; for a function, the function. */
  readonly at: number;
  readonly of: string;
}

/** A family with what is asked of it again and again. */
interface Waiter {
  readonly count: FamilyCount;
  /** The type of each frame. */
  readonly types: readonly string[];
  readonly wait: LockWait | undefined;
  /** What most of its goroutines wait for. */
  readonly state: string;
}

/** For the families of a table; undefined for those that do not wait for a lock. */
export function lockChains(table: FamilyTable): (count: FamilyCount) => LockChain | undefined {
  let byType: WaitersByType | undefined;
  const benign = new Map<FamilyCount, boolean>();
  // Finding the cause of a family takes longer than all the rest.
  const isBenign = ({ count }: Waiter): boolean => {
    let known = benign.get(count);
    if (known === undefined) benign.set(count, (known = causeOfCount(count)?.benign === true));
    return known;
  };
  const chains = new Map<FamilyCount, LockChain | undefined>();
  return count => {
    if (!LOCKS.has(count.family.frames[0] ?? '')) return undefined;
    if (chains.has(count)) return chains.get(count);
    const waiter = waiterOf(count);
    const chain = waiter.wait && chainOf(waiter, waiter.wait, (byType ??= waitersByType(table)), isBenign);
    chains.set(count, chain);
    return chain;
  };
}

function waiterOf(count: FamilyCount): Waiter {
  const types = count.family.frames.map(typeOf);
  return { count, types, wait: lockWait(count.family.frames, types), state: mostOften(count.states) };
}

/** The families that run code of a type or function, largest first. */
type WaitersByType = ReadonlyMap<string, readonly Waiter[]>;

/** More of one type say no more about it, and would take long to compare with each other. */
const MAX_OF_TYPE = 200;

function waitersByType({ counts }: FamilyTable): WaitersByType {
  const byType = new Map<string, Waiter[]>();
  for (const count of counts) {
    const waiter = waiterOf(count);
    for (const type of new Set(waiter.types)) {
      const waiters = byType.get(type);
      if (waiters === undefined) byType.set(type, [waiter]);
      else if (waiters.length < MAX_OF_TYPE) waiters.push(waiter);
    }
  }
  return byType;
}

function chainOf(
  waiter: Waiter,
  first: LockWait,
  byType: WaitersByType,
  isBenign: (waiter: Waiter) => boolean,
): LockChain {
  const links: LockLink[] = [];
  const seen = new Set([waiter.count.family.id]);
  let [current, wait]: [Waiter, LockWait | undefined] = [waiter, first];
  let kind: LockChain['kind'] = 'unknown';
  while (wait !== undefined && links.length < MAX_LINKS) {
    const others = (byType.get(wait.of) ?? []).filter(({ count }) => count !== current.count);
    const next = writerBefore(wait, others) ?? holderOf(current, wait, others, isBenign);
    if (next === undefined) break;
    links.push(next.link);
    if (next.link.role === 'possible') break;
    if (next.link.role === 'self') {
      kind = 'self';
      break;
    }
    const { id } = next.waiter.count.family;
    if (seen.has(id)) {
      kind = 'ring';
      break;
    }
    seen.add(id);
    if (next.link.role === 'holder') kind = 'holder';
    current = next.waiter;
    wait = current.wait;
  }
  const { of } = wait ?? {};
  const isElsewhere =
    of !== undefined && (byType.get(of) ?? []).some(other => other.count !== current.count && pastLock(other, of) >= 0);
  const chain = { kind, of: first.of, links, isElsewhere };
  return { ...chain, sentences: lockSentences(chain) };
}

interface Next {
  readonly waiter: Waiter;
  readonly link: LockLink;
}

/** Readers queue behind a writer that waits for the readers before it. */
function writerBefore(wait: LockWait, others: readonly Waiter[]): Next | undefined {
  if (wait.lock !== 'sync.(*RWMutex).RLock') return undefined;
  for (const waiter of others) {
    if (waiter.wait?.lock !== 'sync.(*RWMutex).Lock' || waiter.wait.of !== wait.of) continue;
    return { waiter, link: linkOf(waiter, waiter.wait.at, 'writer', wait.of) };
  }
  return undefined;
}

/** A likely holder has this much: it is past Lock, alone, and in a wait that a lock should not be held over. */
const LIKELY = 3;
/** Alone, and in a wait that may as well be that of an idle loop. */
const POSSIBLE = 2;

interface Candidate {
  readonly waiter: Waiter;
  readonly at: number;
  readonly score: number;
  /** It waits for a lock of the other kind in the same type: it may hold only that one. */
  readonly atOther: boolean;
}

function holderOf(
  waiter: Waiter,
  wait: LockWait,
  others: readonly Waiter[],
  isBenign: (waiter: Waiter) => boolean,
): Next | undefined {
  const candidates: Candidate[] = [];
  for (const other of others) {
    const at = pastLock(other, wait.of);
    const score = at < 0 ? 0 : scoreOf(other, at, waiter, wait);
    if (score < POSSIBLE) continue;
    const atOther = other.wait?.of === wait.of && kindOf(other.wait.lock) !== kindOf(wait.lock);
    candidates.push({ waiter: other, at, score, atOther });
  }
  candidates.sort((a, b) => Number(a.atOther) - Number(b.atOther) || b.score - a.score);
  const best = candidates.find(one => !isBenign(one.waiter));
  if (best !== undefined && best.score >= LIKELY) return nextOf(best, 'holder', wait);
  // Nobody else: a caller of its own that is code of the same type.
  const own = pastLock(waiter, wait.of);
  if (own >= 0) return nextOf({ waiter, at: own }, 'self', wait);
  return best === undefined ? undefined : nextOf(best, 'possible', wait);
}

function nextOf({ waiter, at }: Pick<Candidate, 'waiter' | 'at'>, role: LockLink['role'], { of }: LockWait): Next {
  return { waiter, link: linkOf(waiter, at, role, of) };
}

/** `sync.(*RWMutex)` of `sync.(*RWMutex).RLock` */
function kindOf(lock: string): string {
  return lock.slice(0, lock.lastIndexOf('.'));
}

/** Index of the frame that is past Lock of this type, from the leaf; -1 if there is none. */
function pastLock({ types, wait }: Waiter, of: string): number {
  return types.indexOf(of, wait?.of === of ? wait.at + 1 : 0);
}

/** Waits over which nobody should hold a lock; those of idle loops are no sign. */
const HELD_OVER =
  /^(?:chan send|IO wait|syscall|sync\.|semacquire|running|runnable|sleep|select \(no cases\)|.*nil chan)/;

function scoreOf({ count, state }: Waiter, at: number, waiter: Waiter, wait: LockWait): number {
  let score = state === 'select' ? -1 : state === 'chan receive' ? 1 : HELD_OVER.test(state) ? 2 : 0;
  // Only one goroutine at a time holds a lock for writing.
  if (count.count === 1) score += 1;
  if (count.family.frames[at] === waiter.count.family.frames[wait.at]) score += 2;
  const [held, waited] = [count.waitMinutes?.max, waiter.count.waitMinutes?.max];
  // The holder was there before the first that waits.
  if (waited !== undefined && !/^run/.test(state)) score += (held ?? 0) + 1 >= waited ? 2 : -3;
  return score;
}

function linkOf({ count, state }: Waiter, at: number, role: LockLink['role'], of: string): LockLink {
  const { family, waitMinutes, places } = count;
  return {
    role,
    of,
    family: family.id,
    title: family.title,
    function: family.frames[at] ?? '',
    at: places[at] || null,
    state: state || null,
    waitMinutes: waitMinutes?.max ?? null,
  };
}

function lockWait(frames: readonly string[], types: readonly string[]): LockWait | undefined {
  const [lock] = frames;
  if (lock === undefined || !LOCKS.has(lock)) return undefined;
  // A method that is called Lock itself locks for its caller.
  const at = frames.findIndex((name, i) => i > 0 && !/\.(?:R?Lock|r?lock)$/.test(name));
  const of = types[at];
  return of === undefined ? undefined : { lock, at, of };
}

/** `main.(*Server)` of `main.(*Server).handle`; a function without a type stands for itself. */
function typeOf(name: string): string {
  const fn = functionOf(name);
  const dot = fn.startsWith('(') ? fn.indexOf(').') + 1 : fn.indexOf('.');
  return dot > 0 ? `${packageOf(name)}.${fn.slice(0, dot)}` : name;
}

function mostOften(counts: ReadonlyMap<string, number>): string {
  return [...counts].reduce<readonly [string, number]>((best, one) => (one[1] > best[1] ? one : best), ['', 0])[0];
}

/**
 * Who holds a lock, in words.
 *
 *     of main.(*Server)
 *     likely holder: main.(*Server).flush at locks/main.go:25, in chan send for 6m [g-aed7650aae]
 */
function lockSentences({ kind, of, links, isElsewhere }: Omit<LockChain, 'sentences'>): string[] {
  const says = links.map((link, i) => sentenceOf(link, i === 0, kind === 'ring' && i === links.length - 1));
  const last = links.at(-1);
  const isOpen =
    last?.role !== 'possible' && (kind === 'unknown' || (kind === 'holder' && last !== undefined && isLock(last)));
  return [`of ${shortName(of)}`, ...says, ...(isOpen ? [isElsewhere ? UNCLEAR : NOBODY] : [])];
}

function sentenceOf(link: LockLink, isFirst: boolean, closesRing: boolean): string {
  const who = `${shortName(link.function)}${link.at === null ? '' : ` at ${link.at}`}`;
  switch (link.role) {
    case 'self':
      return `deadlocks itself: ${who}, further up the same stack, likely holds it already`;
    case 'writer':
      if (closesRing) return `deadlock: it waits behind that writer, too, with a lock that the writer waits for`;
      return `behind a writer: ${who}, ${waitText(link)}, which waits for the readers before it`;
    case 'possible': {
      const holder = `possible holder: ${who}, ${waitText(link)} [${link.family}]; it may as well be an idle loop`;
      return isFirst ? holder : `that waits for the lock of ${shortName(link.of)}; ${holder}`;
    }
    case 'holder': {
      if (closesRing) return `deadlock: that waits for the lock of ${shortName(link.of)}, which ${who} likely holds`;
      const holder = `likely holder: ${who}, ${waitText(link)} [${link.family}]`;
      return isFirst ? holder : `that waits for the lock of ${shortName(link.of)}; ${holder}`;
    }
  }
}

function waitText({ state, waitMinutes }: LockLink): string {
  const what = state === null ? 'past Lock' : `in ${state}`;
  return waitMinutes === null ? what : `${what} for ${formatAge(waitMinutes * 60)}`;
}

function isLock({ state }: LockLink): boolean {
  return /^sync\.(?:RW)?Mutex\./.test(state ?? '');
}
