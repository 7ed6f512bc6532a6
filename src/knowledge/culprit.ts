/** The frame to blame for a known leak. Other stacks of the same leak only hold what it makes. */
import type { KnownLeak } from './known-leak.ts';
import { isFrame, parseFrameName } from './frame-name.ts';

/**
 *     culprit   kubelet.(*podWorkers).startPodSync                             makes a context for every sync
 *     to blame  kubelet.(*podWorkers).startPodSync → context.WithCancel
 *     not       volumemanager.(*volumeManager).WaitForAttachAndMount → ...     whose table keeps it
 *
 * True for an entry without a culprit: any of its stacks is as good as another.
 */
export function isToBlame({ culprit }: Pick<KnownLeak, 'culprit'>, frames: readonly string[]): boolean {
  if (culprit === '') return true;
  const wanted = parseFrameName(culprit);
  return frames.some(frame => isFrame(wanted, parseFrameName(frame)));
}
