/** Who holds a lock, in words. */
import { formatAge } from '../../base/quantities.ts';
import type { LockChain, LockLink } from '../analysis.ts';
import { shortName } from '../../profile/go-name/short-name.ts';

/**
 *     of main.(*Server)
 *     likely holder: main.(*Server).flush at locks/main.go:25, in chan send for 6m [g-aed7650aae]
 */
export function lockSentences({ kind, of, links, isElsewhere }: Omit<LockChain, 'sentences'>): string[] {
  const says = links.map((link, i) => sentenceOf(link, i === 0, kind === 'ring' && i === links.length - 1));
  const last = links.at(-1);
  const isOpen =
    last?.role !== 'possible' && (kind === 'unknown' || (kind === 'holder' && last !== undefined && isLock(last)));
  return [`of ${shortName(of)}`, ...says, ...(isOpen ? [isElsewhere ? UNCLEAR : NOBODY] : [])];
}

const UNCLEAR =
  'other goroutines run code of it, but none clearly past Lock; a dump with debug=2 shows what they wait for';
const NOBODY = 'no goroutine is past Lock in its code: the holder returned without unlocking, or it is in other code';

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
