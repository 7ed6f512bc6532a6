/** Where a profile of the server comes from: its target, capture and incident. */
import type { FileOrigin } from '../../src/watch/watch-model.ts';
import { api } from '../state/api.ts';
import type { Breadcrumb } from '../state/breadcrumbs.ts';
import { targetUrl } from '../state/router.ts';
import { useAsync } from '../state/use-async.ts';

/** Undefined for a file that was dropped into this tab, and for one that no capture has any more. */
export function useOrigin(profileKey: string): FileOrigin | undefined {
  const isStored = /^[0-9a-f]{64}$/.test(profileKey);
  const { value } = useAsync(
    () => (isStored ? api<FileOrigin>(`/profiles/${profileKey}/origin`).catch(() => undefined) : undefined),
    [profileKey],
  );
  return value;
}

/** `node/worker-17 / live heap incident / heap 19:57` */
export function originBreadcrumbs(origin: FileOrigin | undefined, last: Breadcrumb): readonly Breadcrumb[] | undefined {
  if (origin === undefined) return undefined;
  const { capture, incident } = origin;
  return [
    { text: capture.target, url: targetUrl(capture.target) },
    ...(incident === null
      ? []
      : [{ text: `${incident.resource} incident`, url: `/i/${encodeURIComponent(incident.id)}` }]),
    last,
  ];
}
