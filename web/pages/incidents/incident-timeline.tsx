/** The incident as one vertical line through time, its evidence attached where it was taken. */
import { formatAge } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { CaptureView, IncidentView } from '../../../src/model/watch.ts';
import { Moment } from '../../widgets/timestamp.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { CaptureFiles } from '../capture-files.tsx';

type Step = IncidentView['timeline'][number];

export function IncidentStory({ view }: { readonly view: IncidentView }) {
  const captures = new Map(view.captures.map(capture => [capture.id, capture]));
  const steps = view.timeline.toSorted((a, b) => a.at - b.at);
  return (
    <section class="story" aria-labelledby="story-title">
      <h2 id="story-title">What happened</h2>
      <ol>
        {steps.map((step, i) => (
          <li key={i} class={`story-step story-${step.kind.replace(' ', '-')}`}>
            <StepMark kind={step.kind} />
            <div class="story-when">
              <Moment at={step.at} />
              {i > 0 && <span class="muted"> +{formatAge(step.at - steps[i - 1].at)}</span>}
            </div>
            <div>
              <strong>{step.kind}</strong> {visible(withoutKind(step))}
              {step.captureId !== null && <Attachments told={step.text} capture={captures.get(step.captureId)} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** `restarted after 14m` of a step of that kind is `after 14m`: the kind stands before it. */
function withoutKind({ kind, text }: Step): string {
  return text.startsWith(`${kind} `) ? text.slice(kind.length + 1) : text;
}

function StepMark({ kind }: { readonly kind: Step['kind'] }) {
  if (kind === 'leak' || kind === 'watch') return <VerdictMark verdict={kind} />;
  if (kind === 'cleared') return <VerdictMark verdict="healthy" />;
  return <span class="story-mark" aria-hidden="true" />;
}

function Attachments({ told, capture }: { readonly told: string; readonly capture: CaptureView | undefined }) {
  if (capture === undefined) return <p class="muted">The evidence is no longer kept.</p>;
  return (
    <div class="story-evidence">
      {!told.includes(capture.reason) && <p class="muted">{visible(capture.reason)}</p>}
      <CaptureFiles capture={capture} />
    </div>
  );
}
