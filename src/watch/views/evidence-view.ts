/** Evidence: captures and where their files come from, bundles and reports of incidents, and the known leaks they show. */
import { viewOfLeaks, type CatalogueView } from '../../knowledge/view.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { FileOrigin, CaptureView, IncidentNote } from '../watch-model.ts';
import type { StoredCapture } from '../../store/records.ts';
import { incidentSummary } from './incidents-view.ts';
import { timeText } from '../../base/say.ts';
import type { TargetEvidence } from '../../evidence/capture.ts';
import type { ReportAudience } from '../../report/issue/issue-facts.ts';
import { prose } from '../../report/markdown.ts';
import type { TargetIncident } from '../state/incidents.ts';
import type { EvidenceRefusal } from '../watch-service.ts';
import { chooseCaptures, incidentCaptures, readEvidence } from '../incidents/incident-analysis.ts';

export function captureView({ id, target, at, trigger, reason, files }: StoredCapture): CaptureView {
  return {
    id,
    target,
    at,
    trigger,
    reason,
    files: files.map(({ kind, sha256, bytes, at: takenAt, truncated }) => ({
      kind,
      sha256,
      bytes,
      at: takenAt,
      truncated,
    })),
  };
}

/** Where a stored file comes from: its capture, its incident, and what else there is to compare it with. */
export function originView(state: WatchState, sha256: string): FileOrigin | undefined {
  const { captures, incidents } = state;
  for (const capture of captures.values()) {
    const file = capture.files.find(one => one.sha256 === sha256);
    if (file === undefined) continue;
    const ofTarget = [...captures.values()].filter(
      ({ target, files }) => target === capture.target && files.some(({ kind }) => kind === file.kind),
    );
    const incident = incidents.targets().find(({ subject }) => subject.captureIds.includes(capture.id));
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

/** The known leaks, and which targets of this fleet match them. */
export function catalogueView({ ports, incidents }: WatchState): CatalogueView {
  const matching = new Map<string, Set<string>>();
  for (const { subject } of incidents.targets()) {
    for (const match of subject.matches) {
      const [ref = ''] = match.split(' ', 1);
      matching.set(ref, (matching.get(ref) ?? new Set()).add(subject.target));
    }
  }
  return viewOfLeaks(ports.catalogue, ref => matching.get(ref));
}

/** A redacted bundle; undefined when there is no such incident. */
export async function bundleOf(state: WatchState, id: string): Promise<Uint8Array | EvidenceRefusal | undefined> {
  const found = await evidenceOf(state, id);
  return found === undefined || 'refused' in found ? found : state.ports.background.bundle(found);
}

export async function reportOf(
  state: WatchState,
  id: string,
  audience: ReportAudience,
): Promise<string | EvidenceRefusal | undefined> {
  const found = await evidenceOf(state, id);
  if (found === undefined || 'refused' in found) return found;
  const text = await state.ports.background.report(found, audience);
  return audience === 'incident' ? text + notesSection(state.incidents.get(id)?.notes ?? []) : text;
}

async function evidenceOf(state: WatchState, id: string): Promise<TargetEvidence | EvidenceRefusal | undefined> {
  const { incidents } = state;
  const incident = incidents.ofTarget(id) ?? bestMember(state, id);
  if (incident === undefined)
    return incidents.get(id) === undefined ? undefined : { refused: 'no incident of a target is folded into it' };
  const evidence = await readEvidence(state, chooseCaptures(incidentCaptures(state, incident)));
  if (evidence !== undefined) return evidence;
  const isGone = incident.subject.captureIds.length > 0;
  return { refused: isGone ? 'its captures made room for newer ones' : 'no profile was captured during it' };
}

/** The member of a cohort whose evidence says most: one with a known cause, then one with many captures. */
function bestMember({ incidents }: WatchState, id: string): TargetIncident | undefined {
  const weight = ({ subject }: TargetIncident): number => (subject.cause ? 1000 : 0) + subject.captureIds.length;
  return incidents.foldedInto(id).sort((a, b) => weight(b) - weight(a))[0];
}

/** A section for the report of the team; the reports that leave have no notes, which may name anything. */
function notesSection(notes: readonly IncidentNote[]): string {
  if (notes.length === 0) return '';
  const lines = notes.map(({ at, by, text, acknowledges }) => {
    const what = [acknowledges ? 'acknowledged' : '', text].filter(part => part !== '').join(': ');
    return `- ${timeText(at)} ${prose(by)}: ${prose(what.replaceAll(/\s+/g, ' '))}`;
  });
  return `\n## Notes\n\n${lines.join('\n')}\n`;
}
