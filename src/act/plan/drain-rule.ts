/**
 * What a drain does with a pod, by the rules of `kubectl drain --ignore-daemonsets`:
 *
 *     finished                     evict
 *     mirror of a static pod       leave: only the kubelet ends it
 *     of a DaemonSet               leave: it would come back at once
 *     of a DaemonSet that is gone  refuse, or evict with force
 *     without a controller         refuse, or evict with force: nothing brings it back
 *     with an emptyDir             refuse, or evict with deleteEmptyDirData: its data is lost
 *     otherwise                    evict
 */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';

export interface DrainFlags {
  readonly force: boolean;
  readonly deleteEmptyDirData: boolean;
}

export interface DrainRuling {
  readonly act: 'evict' | 'leave' | 'refuse';
  /** Why it is left or refused, or what is lost with it; '' if there is nothing to say. */
  readonly note: string;
}

export interface PodOwner {
  readonly kind: string;
  readonly name: string;
}

/** `hasDaemonSet` says whether a DaemonSet still exists; undefined if that cannot be read. */
export function drainRuling(
  pod: JsonRecord,
  flags: DrainFlags,
  hasDaemonSet: (namespace: string, name: string) => boolean | undefined,
): DrainRuling {
  const metadata = recordOf(pod['metadata']);
  const namespace = textOf(metadata['namespace']);
  const phase = textOf(recordOf(pod['status'])['phase']);
  const isFinished = phase === 'Succeeded' || phase === 'Failed';
  if (isMirrorPod(pod)) return { act: 'leave', note: 'a static pod: only its file ends it' };
  if (isFinished) return { act: 'evict', note: '' };
  const owner = controllerOf(pod);
  if (owner?.kind === 'DaemonSet') {
    if (hasDaemonSet(namespace, owner.name) !== false)
      return { act: 'leave', note: `of the DaemonSet ${owner.name}: it would come back` };
    return flags.force
      ? { act: 'evict', note: `its DaemonSet ${owner.name} is gone` }
      : { act: 'refuse', note: `its DaemonSet ${owner.name} is gone: needs --evict-unmanaged` };
  }
  const lost: string[] = [];
  if (owner === undefined) {
    if (!flags.force) return { act: 'refuse', note: 'no controller brings it back: needs --evict-unmanaged' };
    lost.push('no controller brings it back');
  }
  if (hasLocalData(pod)) {
    if (!flags.deleteEmptyDirData)
      return { act: 'refuse', note: 'the data of its emptyDir would be lost: needs --delete-emptydir-data' };
    lost.push('the data of its emptyDir is lost');
  }
  return { act: 'evict', note: lost.join('; ') };
}

export function isMirrorPod(pod: JsonRecord): boolean {
  const annotations = recordOf(recordOf(pod['metadata'])['annotations']);
  return Object.hasOwn(annotations, 'kubernetes.io/config.mirror');
}

/** Any controller counts, custom resources included. */
export function controllerOf(pod: JsonRecord): PodOwner | undefined {
  const owners = listOf(recordOf(pod['metadata'])['ownerReferences']).map(recordOf);
  const owner = owners.find(one => one['controller'] === true);
  return owner === undefined ? undefined : { kind: textOf(owner['kind']), name: textOf(owner['name']) };
}

function hasLocalData(pod: JsonRecord): boolean {
  return listOf(recordOf(pod['spec'])['volumes']).some(volume => recordOf(volume)['emptyDir'] !== undefined);
}
