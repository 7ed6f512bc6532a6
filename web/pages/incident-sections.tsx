/** When an incident began and ended, and who takes care of it; `children` say what it is about. */
import type { ComponentChildren } from 'preact';
import { formatAge } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { CaptureView, IncidentSummary, IncidentView } from '../../src/watch/watch-model.ts';
import { CaptureFiles } from '../charts/selection-bar.tsx';
import { Advice, VerdictMark } from '../widgets/verdict.tsx';
import { Timestamp } from '../widgets/timestamp.tsx';

interface IncidentFactsProps {
  readonly view: IncidentSummary;
  readonly children: ComponentChildren;
  /** At the end. */
  readonly links?: ComponentChildren;
}

export function IncidentFacts({ view, children, links }: IncidentFactsProps) {
  return (
    <p class="answer-facts">
      {children}
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
      {view.acknowledged !== null && (
        <span>
          <span class="muted">acknowledged by</span> {visible(view.acknowledged.by)}{' '}
          <Timestamp at={view.acknowledged.at} />
        </span>
      )}
      {links}
    </p>
  );
}

export function AdviceSection({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <Advice lines={lines} />
    </section>
  );
}

/** The evidence of an incident, to take away. */
const REPORTS = [
  ['upstream', 'for the project'],
  ['provider', 'for the provider'],
  ['incident', 'for the team'],
] as const;

export function Downloads({ path, hasEvidence }: { readonly path: string; readonly hasEvidence: boolean }) {
  if (!hasEvidence)
    return (
      <section>
        <h2>Downloads</h2>
        <p class="muted">None: no profile was captured.</p>
      </section>
    );
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

/** What happened in an incident, step by step, with the captures taken on the way. */
type Step = IncidentView['timeline'][number];

export function IncidentTimeline({ view }: { readonly view: Pick<IncidentView, 'timeline' | 'captures'> }) {
  const captures = new Map(view.captures.map(capture => [capture.id, capture]));
  const steps = view.timeline.toSorted((a, b) => a.at - b.at);
  return (
    <section class="timeline" aria-labelledby="timeline-title">
      <ol>
        {steps.map((step, i) => (
          <li key={i} class={`timeline-step timeline-${step.kind.replace(' ', '-')}`}>
            <StepMark kind={step.kind} />
            <div class="timeline-when">
              <Timestamp at={step.at} />
              {i > 0 && <span class="muted"> +{formatAge(step.at - (steps[i - 1]?.at ?? step.at))}</span>}
            </div>
            <div>
              <strong>{step.kind}</strong> {visible(withoutKind(step))}
              {step.captureId !== null && <Attachments stepText={step.text} capture={captures.get(step.captureId)} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** `restarted after 14m` becomes `after 14m`: the kind is already shown before it. */
function withoutKind({ kind, text }: Step): string {
  return text.startsWith(`${kind} `) ? text.slice(kind.length + 1) : text;
}

function StepMark({ kind }: { readonly kind: Step['kind'] }) {
  if (kind === 'leak' || kind === 'watch') return <VerdictMark verdict={kind} />;
  if (kind === 'cleared') return <VerdictMark verdict="healthy" />;
  return <span class="timeline-mark" aria-hidden="true" />;
}

function Attachments(props: { readonly stepText: string; readonly capture: CaptureView | undefined }) {
  const { stepText, capture } = props;
  if (capture === undefined) return <p class="muted">This capture has been deleted.</p>;
  return (
    <div class="timeline-evidence">
      {!stepText.includes(capture.reason) && <p class="muted">{visible(capture.reason)}</p>}
      <CaptureFiles capture={capture} />
    </div>
  );
}
