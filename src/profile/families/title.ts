/**
 * The shortest form of a family that still distinguishes it from others, for a table at 80 characters.
 *
 * cache.(*processorListener).run ← chan receive              what waits, and for what
 * kubelet.(*podWorkers).startPodSync → context.WithCancel    what allocates, and through which call
 */

import { shortName } from './normalise.ts';

const MAX_TITLE = 72;

/** `operation` is a wait reason, or the innermost function that counts; '' if it would only repeat the owner. */
export function goroutineTitle(owner: string, operation: string): string {
  return joined(shortName(owner), ' ← ', operation);
}

/** `called` is the function the owner calls to allocate; '' if it allocates itself. */
export function heapTitle(owner: string, called: string): string {
  return joined(shortName(owner), ' → ', shortName(called));
}

function joined(owner: string, arrow: string, rest: string): string {
  if (rest === '' || rest === owner) return clipped(owner, MAX_TITLE);
  const room = Math.max(MAX_TITLE - arrow.length - rest.length, MAX_TITLE / 2);
  const left = clipped(owner.length <= room ? owner : withoutPackage(owner), room);
  return left + arrow + clipped(rest, MAX_TITLE - left.length - arrow.length);
}

/** `volumemanager.(*volumeManager).WaitForAttachAndMount` as `(*volumeManager).WaitForAttachAndMount`. */
function withoutPackage(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** Keeps the end of a name, which tells more than its middle. */
function clipped(text: string, room: number): string {
  if (text.length <= room) return text;
  const head = Math.floor((room - 1) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (room - 1 - head))}`;
}
