/** What happened, and what do I do now? The timeline on the left, advice and downloads on the right. */
import { visible } from '../../../src/base/visible-text.ts';
import type { IncidentView } from '../../../src/model/watch.ts';
import { useApi } from '../../state/use-api.ts';
import { targetUrl } from '../../state/router.ts';
import { MatchNote } from '../../widgets/match-note.tsx';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { WhenLoaded } from '../../widgets/loading-states.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';
import type { PageProps } from '../page-props.ts';
import { IncidentTimeline } from './incident-timeline.tsx';
import { formatCertainty } from '../../../src/base/quantities.ts';
import { ledgerReasons } from '../../text/ledger-text.ts';

export function IncidentPage({ params }: PageProps) {
  const { id = '' } = params;
  const path = `/incidents/${encodeURIComponent(id)}`;
  const incident = useApi<IncidentView>(
    id,
    () => path,
    event => event.kind === 'incident' && event.id === id,
  );
  return (
    <WhenLoaded api={incident}>
      {view => (
        <>
          <IncidentAnswer view={view} />
          <div class="incident">
            <IncidentTimeline view={view} />
            <aside class="incident-aside" aria-label="What to do">
              <Advice title="Do now" lines={view.todo} />
              <Advice title="Do not" lines={view.avoid} />
              <Cause view={view} />
              <Downloads path={`/api/v1${path}`} />
            </aside>
          </div>
        </>
      )}
    </WhenLoaded>
  );
}

function IncidentAnswer({ view }: { readonly view: IncidentView }) {
  return (
    <div class="answer">
      <VerdictMark verdict={view.verdict} />
      <h1>{visible(view.sentence)}</h1>
      <p class="answer-facts">
        <span class="sr-only">Verdict: {view.verdict}. </span>
        <a href={targetUrl(view.target)}>{visible(view.target)}</a>
        <span>{view.resource}</span>
        <span>
          <span class="muted">opened</span> <Timestamp at={view.openedAt} />
        </span>
        {view.closedAt === null ? (
          <span>still open</span>
        ) : (
          <span>
            <span class="muted">closed</span> <Timestamp at={view.closedAt} />
          </span>
        )}
      </p>
    </div>
  );
}

/** Text in backquotes is a command. */
function Advice({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="incident-advice">
        {lines.map((line, i) => (
          <li key={i}>
            {visible(line)
              .split('`')
              .map((part, k) => (k % 2 === 1 ? <code key={k}>{part}</code> : part))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Cause({ view }: { readonly view: IncidentView }) {
  const finding = view.analysis?.findings[0];
  const { cycle, afterRestart } = view;
  if (finding === undefined && cycle === null && afterRestart === null && view.ledgers.length === 0) return null;
  return (
    <section>
      <h2>Why</h2>
      {finding?.matches.map(match => (
        <MatchNote key={match.id} match={match} />
      ))}
      {finding !== undefined && (
        <div>
          <span class="mono" title={finding.family.frames.map(visible).join('\n')}>
            {visible(finding.family.title)}
          </span>{' '}
          <Why of="the finding" reasons={finding.reasons} inputs={{ family: finding.family.id }} />
        </div>
      )}
      <Evidence view={view} />
      {afterRestart !== null && (
        <p>
          After the restart: <strong>{afterRestart.verdict}</strong>. {visible(afterRestart.text)}
        </p>
      )}
      {cycle !== null && (
        <div>
          {visible(cycle.sentence)} <Why of="the stage" reasons={cycle.reasons} inputs={{ stage: cycle.stage }} />
        </div>
      )}
    </section>
  );
}

/** The ledger of the resource that is surest to leak, each observation with its weight. */
function Evidence({ view }: { readonly view: IncidentView }) {
  const [ledger] = view.ledgers;
  if (ledger === undefined) return null;
  return (
    <div>
      Evidence from metrics and captures: <strong>{ledger.verdict}</strong>, {formatCertainty(ledger.probability)} sure
      that it leaks <Why of="the evidence" reasons={ledgerReasons(ledger)} />
    </div>
  );
}

const REPORTS = [
  ['upstream', 'for the project'],
  ['provider', 'for the provider'],
  ['incident', 'for the team'],
] as const;

function Downloads({ path }: { readonly path: string }) {
  return (
    <section>
      <h2>Downloads</h2>
      <ul class="incident-downloads">
        <li>
          <a class="button" href={`${path}/bundle`} download>
            Evidence bundle
          </a>{' '}
          <span class="muted">redacted; opens with oakum analyze</span>
        </li>
        {REPORTS.map(([audience, text]) => (
          <li key={audience}>
            <a class="button" href={`${path}/report?for=${audience}`} download={`${audience}-report.md`}>
              Report {text}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
