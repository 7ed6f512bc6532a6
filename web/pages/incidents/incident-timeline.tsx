/** What happened in an incident, step by step, with the captures taken on the way. */
import { formatAge } from '../../../src/base/say.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { CaptureView, IncidentView } from '../../../src/watch/watch-model.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { CaptureFiles } from '../../timeline/capture-files.tsx';

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
