/** What is known about incidents now, in the words of notices. */
import type { NoticedIncident } from '../../store/notification.ts';
import type { IncidentSummary } from '../watch-model.ts';
import type { IncidentFigures } from '../views/incident-figures.ts';
import type { NotifyOptions } from './notify-options.ts';
import { fillLink, fillText, valuesOf } from './templates.ts';

export interface IncidentSource {
  /** All that are open, and those that closed lately. */
  incidents(): readonly IncidentSummary[];
  figures(incidentId: string): IncidentFigures;
}

const NO_FIGURES: IncidentFigures = { cause: null, unit: null, slopePerHour: null, timeToLimitHours: null };

export function describeIncident(
  summary: IncidentSummary,
  source: Pick<IncidentSource, 'figures'>,
  options: NotifyOptions,
): NoticedIncident {
  const { id, target, resource, verdict, openedAt, closedAt, sentence } = summary;
  const figures = closedAt === null ? source.figures(id) : NO_FIGURES;
  const url = options.url === undefined ? null : `${options.url}/i/${encodeURIComponent(id)}`;
  const known = { id, target, resource, verdict, sentence, cause: figures.cause, url };
  const values = valuesOf(known, options.cluster);
  return {
    ...known,
    ...figures,
    isCohort: summary.cohort !== null,
    openedAt,
    closedAt,
    summary: fillText(options.summary, values),
    runbookUrl: options.runbook === undefined ? null : fillLink(options.runbook, values),
  };
}
