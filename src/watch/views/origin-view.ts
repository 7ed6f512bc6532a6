/** Where a stored file comes from: its capture, its incident, and what else there is to compare it with. */
import type { FileOrigin } from '../watch-model.ts';
import type { WatchState } from '../state/watch-state.ts';
import { captureView, incidentSummary } from './incident-view.ts';

export function originView(state: WatchState, sha256: string): FileOrigin | undefined {
  const { captures, incidents } = state;
  for (const capture of captures.values()) {
    const file = capture.files.find(one => one.sha256 === sha256);
    if (file === undefined) continue;
    const ofTarget = [...captures.values()].filter(
      ({ target, files }) => target === capture.target && files.some(({ kind }) => kind === file.kind),
    );
    const incident = incidents.all().find(({ captureIds }) => captureIds.includes(capture.id));
    return {
      schema: 'oakum.origin/v1',
      kind: file.kind,
      at: file.at,
      startedAt: capture.processStartSeconds ?? null,
      capture: captureView(capture),
      incident: incident === undefined ? null : incidentSummary(state, incident),
      captures: ofTarget.sort((a, b) => a.at - b.at).map(captureView),
    };
  }
  return undefined;
}
