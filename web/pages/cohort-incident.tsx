/** A value leaks wherever it is: what is proved, every target that has it, and what to do. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { CohortIncidentView, CohortMember } from '../../src/watch/watch-model.ts';
import { verdictsOf, mostOf, RateBar } from '../charts/compared-values.tsx';
import { RolloutStrip } from '../charts/rollout-strip.tsx';
import { serverNow } from '../state/live.ts';
import { readableQuery, targetUrl } from '../state/router.ts';
import { limitText, NO_VALUE, slopeText } from '../widgets/value-text.ts';
import { AdviceSection, Downloads, IncidentFacts, IncidentTimeline } from './incident-sections.tsx';
import { FactsTable, type FactsColumn } from '../widgets/facts-table.tsx';
import { Timestamp } from '../widgets/timestamp.tsx';
import { VerdictMark, VerdictWord } from '../widgets/verdict.tsx';
import { IncidentNotes } from './incident-notes.tsx';
import { IncidentPlan } from './incident-plan.tsx';

/** Room on both sides of what happened. */
const MARGIN_HOURS = 24;
const SHOWN_MEMBERS = 100;

interface CohortIncidentProps {
  readonly view: CohortIncidentView;
  readonly path: string;
  readonly refresh: () => void;
}

export function CohortIncident({ view, path, refresh }: CohortIncidentProps) {
  const { attribute, value } = view.cohort;
  const verdicts = useMemo(() => verdictsOf(view.verdicts), [view.verdicts]);
  const verdictOf = useMemo(() => (one: string) => verdicts.get(one), [verdicts]);
  const fleetUrl = `/?${readableQuery(new URLSearchParams({ by: attribute, is: `${attribute}:${value}` }))}`;
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={view.verdict} />
        <h1>
          <span class={`answer-verdict verdict-${view.verdict}`}>{view.verdict}</span> {visible(view.sentence)}
        </h1>
        <IncidentFacts view={view}>
          <a href={fleetUrl}>{visible(view.target)}</a>
        </IncidentFacts>
      </div>
      <div class="incident">
        <div class="incident-proof">
          <RolloutStrip attribute={attribute} hours={hoursShown(view)} verdictOf={verdictOf} />
          <Rates view={view} />
          <Members view={view} fleetUrl={fleetUrl} />
          <details class="incident-log">
            <summary>
              <h2 id="timeline-title">What happened, step by step</h2>
              <span class="muted">{view.timeline.length} steps</span>
            </summary>
            <IncidentTimeline view={{ timeline: view.timeline, captures: [] }} />
          </details>
        </div>
        <aside class="incident-do" aria-label="What to do">
          <AdviceSection title="Do now" lines={view.todo} />
          <Causes view={view} />
          <IncidentPlan incidentId={view.id} target="--all-leaking" isCohort isOpen={view.closedAt === null} />
        </aside>
        <div class="incident-keep">
          <Downloads path={`/api/v1${path}`} hasEvidence={view.causes.length > 0} />
          <IncidentNotes view={view} refresh={refresh} />
        </div>
      </div>
    </>
  );
}

/** From a day before the first target changed until now. */
function hoursShown({ verdicts, openedAt }: CohortIncidentView): number {
  const begun = verdicts.flatMap(({ since }) => (since === null ? [] : [Date.parse(since) / 1000]));
  const from = Math.min(openedAt, ...begun);
  return Math.min(14 * 24, Math.ceil((serverNow.peek() - from) / 3600) + MARGIN_HOURS);
}

function Rates({ view: { verdicts } }: { readonly view: CohortIncidentView }) {
  return (
    <section aria-labelledby="proof-title">
      <h2 id="proof-title">What is proved</h2>
      <ul class="cohort-proof">
        {verdicts.map(one => (
          <li key={one.resource}>
            <RateBar cohort={one} most={mostOf(verdicts.filter(({ unit }) => unit === one.unit))} />{' '}
            <span>{visible(one.sentence)}</span>
            {[...one.alternatives, ...one.vetoes, ...one.onset].map(({ sentence }) => (
              <div key={sentence} class="muted">
                {visible(sentence)}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const ROLE_TEXT: Readonly<Record<CohortMember['role'], string>> = {
  grows: 'grows',
  against: 'much less, or none',
  early: 'too early',
};

const COLUMNS: readonly FactsColumn<CohortMember>[] = [
  { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
  {
    name: 'Target',
    kind: 'title',
    isHead: true,
    cell: ({ target }) => <a href={targetUrl(target)}>{visible(target)}</a>,
  },
  { name: 'With it', kind: 'title', cell: ({ role }) => ROLE_TEXT[role] },
  { name: 'Slope', kind: 'number', cell: ({ unit, slopePerHour }) => slopeText(unit, slopePerHour) },
  { name: 'Limit in', kind: 'number', cell: ({ timeToLimitHours }) => limitText(timeToLimitHours) },
  { name: 'Changed', kind: 'number', cell: ({ since }) => (since === null ? NO_VALUE : <Timestamp at={since} />) },
  {
    name: 'Its incident, or what it has different',
    kind: 'text',
    cell: ({ incidentId, differs }) => (
      <>
        {incidentId !== null && <a href={`/i/${encodeURIComponent(incidentId)}`}>{incidentId}</a>}{' '}
        {differs.length > 0 && visible(differs.join('; '))}
      </>
    ),
  },
];

function Members({ view, fleetUrl }: { readonly view: CohortIncidentView; readonly fleetUrl: string }) {
  const { members, moreMembers, cohort } = view;
  const left = members.length - SHOWN_MEMBERS + moreMembers;
  return (
    <section>
      <h2 id="members-title">
        {formatCount(members.length + moreMembers)} targets with it, {formatCount(cohort.folded)} incidents folded into
        this one
      </h2>
      <FactsTable
        labelledBy="members-title"
        columns={COLUMNS}
        rows={shownMembers(members)}
        rowKey={({ target }) => target}
      />
      {left > 0 && (
        <p>
          <a href={fleetUrl}>{formatCount(left)} more on the fleet page</a>
        </p>
      )}
    </section>
  );
}

/** If there are many, those that speak against the cohort keep their place. */
function shownMembers(members: readonly CohortMember[]): readonly CohortMember[] {
  if (members.length <= SHOWN_MEMBERS) return members;
  const against = members.filter(({ role }) => role === 'against').slice(0, SHOWN_MEMBERS / 2);
  const others = members.filter(({ role }) => role !== 'against').slice(0, SHOWN_MEMBERS - against.length);
  return [...others, ...against];
}

function Causes({ view: { causes, known } }: { readonly view: CohortIncidentView }) {
  if (causes.length === 0 && known.length === 0) return null;
  return (
    <section>
      <h2>Cause</h2>
      {causes.map(({ cause, targets }) => (
        <div key={cause.text}>
          {visible(cause.text)}: {visible(cause.title)}{' '}
          <span class="muted">
            on {formatCount(targets)} {targets === 1 ? 'target' : 'targets'} with captures
          </span>
        </div>
      ))}
      {known.map(({ id, ref, title, fixedIn }) => (
        <div key={id} class="cohort-known">
          <a href={`/catalogue?q=${encodeURIComponent(id)}`}>{visible(ref)}</a> {visible(title)}
          {fixedIn.length > 0 && <span class="muted">, fixed in {visible(fixedIn.join(', '))}</span>}
        </div>
      ))}
    </section>
  );
}
