/** What is proved, and what do I do now? The proof on the left, advice and downloads on the right. */
import { visible } from '../../src/base/visible-text.ts';
import type { CohortIncidentView, IncidentView } from '../../src/watch/watch-model.ts';
import { useBreadcrumbs } from '../state/frame.ts';
import { useApi } from '../state/use-api.ts';
import { type PageProps, targetUrl } from '../state/router.ts';
import { MatchNote } from '../widgets/match-note.tsx';
import { WhenLoaded } from '../widgets/loading-states.tsx';
import { TextWithTimes } from '../widgets/timestamp.tsx';
import { VerdictMark, Why } from '../widgets/verdict.tsx';
import { AdviceSection, Downloads, IncidentFacts, IncidentTimeline } from './incident-sections.tsx';
import { GrafanaLink } from '../widgets/grafana-link.tsx';
import { CohortIncident } from './cohort-incident.tsx';
import { IncidentNotes } from './incident-notes.tsx';
import { IncidentPlan } from './incident-plan.tsx';
import { IncidentProof } from './incident-proof.tsx';
import { placeText } from '../widgets/short-names.ts';

export function IncidentPage({ params, query }: PageProps) {
  const { id = '' } = params;
  const path = `/incidents/${encodeURIComponent(id)}`;
  const incident = useApi<IncidentView | CohortIncidentView>(
    id,
    () => path,
    event => event.kind === 'incident' && event.id === id,
  );
  const { data } = incident;
  useBreadcrumbs(
    data && [
      { text: 'Incidents', url: '/i' },
      {
        text: data.cohort === null ? `${data.target}, ${data.resource}` : data.target,
        url: `/i/${encodeURIComponent(id)}`,
      },
    ],
  );
  return (
    <WhenLoaded api={incident}>
      {view =>
        view.schema === 'oakum.cohort-incident/v1' ? (
          <CohortIncident view={view} path={path} refresh={incident.refresh} />
        ) : (
          <TargetIncident view={view} path={path} query={query} refresh={incident.refresh} />
        )
      }
    </WhenLoaded>
  );
}

interface TargetIncidentProps {
  readonly view: IncidentView;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly refresh: () => void;
}

function TargetIncident({ view, path, query, refresh }: TargetIncidentProps) {
  return (
    <>
      <IncidentAnswer view={view} />
      <div class="incident">
        <div class="incident-proof">
          <IncidentProof view={view} query={query} />
          <details class="incident-log">
            <summary>
              <h2 id="timeline-title">What happened, step by step</h2>
              <span class="muted">
                {view.timeline.length} steps, {view.captures.length} captures with their files
              </span>
            </summary>
            <IncidentTimeline view={view} />
          </details>
        </div>
        <aside class="incident-do" aria-label="What to do">
          <AdviceSection title="Do now" lines={view.todo} />
          <AdviceSection title="Do not" lines={view.avoid} />
          <IncidentPlan incidentId={view.id} target={view.target} isOpen={view.closedAt === null} />
          <Cause view={view} />
        </aside>
        <div class="incident-keep">
          <Downloads path={`/api/v1${path}`} hasEvidence={view.captures.length > 0} />
          <IncidentNotes view={view} refresh={refresh} />
        </div>
      </div>
    </>
  );
}

function IncidentAnswer({ view }: { readonly view: IncidentView }) {
  return (
    <div class="answer">
      <VerdictMark verdict={view.verdict} />
      <h1>
        <span class={`answer-verdict verdict-${view.verdict}`}>{view.verdict}</span> {visible(view.sentence)}
      </h1>
      <IncidentFacts
        view={view}
        links={<GrafanaLink target={view.target} from={view.openedAt} to={view.closedAt ?? undefined} />}
      >
        <a href={targetUrl(view.target)}>{visible(view.target)}</a>
        {view.partOf !== null && <a href={`/i/${encodeURIComponent(view.partOf)}`}>part of a cohort's incident</a>}
      </IncidentFacts>
    </div>
  );
}

function Cause({ view }: { readonly view: IncidentView }) {
  const finding = view.analysis?.findings[0];
  const { cycle } = view;
  if (finding === undefined && cycle === null) return null;
  return (
    <section>
      <h2>Cause</h2>
      {finding?.matches.map(match => (
        <MatchNote key={match.id} match={match} />
      ))}
      {finding !== undefined && (
        <div>
          <span class="mono" title={finding.family.frames.map(visible).join('\n')}>
            {visible(finding.family.title)}
          </span>{' '}
          <Why of="the finding" reasons={finding.reasons} inputs={{ family: finding.family.id }} />
          {finding.family.at !== null && <div class="mono muted">{visible(placeText(finding.family))}</div>}
        </div>
      )}
      {cycle !== null && (
        <div>
          <TextWithTimes text={cycle.sentence} />{' '}
          <Why of="the stage" reasons={cycle.reasons} inputs={{ stage: cycle.stage }} />
        </div>
      )}
    </section>
  );
}
