/** Above the fold: the verdict, its cause and fix, the time to the limit and how it is computed, and the next step. */
import { visible } from '../../src/base/visible-text.ts';
import type { ResourceDetection } from '../../src/judge/detect/recorded-detection.ts';
import { mayLeak } from '../../src/judge/verdict.ts';
import type { TargetCause, TargetView } from '../../src/watch/watch-model.ts';
import { status } from '../state/live.ts';
import { amountText, limitText } from '../widgets/value-text.ts';
import { Advice, VerdictMark, Why } from '../widgets/verdict.tsx';
import { Fact } from '../widgets/facts-table.tsx';
import { GrafanaLink } from '../widgets/grafana-link.tsx';
import { TextWithTimes } from '../widgets/timestamp.tsx';
import { useState } from 'preact/hooks';
import { api, ApiError } from '../state/api.ts';

interface TargetAnswerProps {
  readonly view: TargetView;
  readonly refresh: () => void;
}

export function TargetAnswer({ view, refresh }: TargetAnswerProps) {
  const worst = view.resources[0];
  const open = view.incidents.find(({ closedAt }) => closedAt === null);
  const closed = view.incidents.filter(({ closedAt }) => closedAt !== null);
  const isGrowing = mayLeak(view.verdict);
  const silent = status.value?.silent.find(({ target }) => target === view.target);
  return (
    <div class="answer">
      <VerdictMark verdict={view.verdict} />
      <h1>
        <span class={`answer-verdict verdict-${view.verdict}`}>{view.verdict}</span> {visible(view.sentence)}
      </h1>
      {worst !== undefined && <Why of="the verdict" reasons={worst.reasons} inputs={{ metric: worst.metric }} />}
      {silent !== undefined && (
        <p>
          <strong>no answer</strong> {visible(silent.why)}; what follows is from before
        </p>
      )}
      <dl class="answer-lines">
        {(isGrowing || view.cause !== null) && (
          <Fact name="Cause">
            <CauseText cause={view.cause} isAllowed={status.value?.capturesAllowed === true} />
          </Fact>
        )}
        {worst !== undefined && worst.limit !== null && (
          <Fact name="Limit">
            <LimitArithmetic worst={worst} limit={worst.limit} view={view} />
          </Fact>
        )}
        {view.todo.length > 0 && (
          <Fact name="Next">
            <Advice lines={view.todo.slice(0, 2)} />
          </Fact>
        )}
        {view.cycle !== null && view.cycle.stage !== 'healthy' && view.cycle.stage !== 'unknown' && (
          <Fact name={view.cycle.stage === 'pre-oom' ? 'Memory' : 'Restart'}>
            <TextWithTimes text={view.cycle.sentence} />
          </Fact>
        )}
      </dl>
      <p class="answer-facts">
        {open !== undefined && (
          <a class="button button-main" href={`/i/${encodeURIComponent(open.id)}`}>
            See the proof: open incident
          </a>
        )}
        {status.value?.capturesAllowed === true && <CaptureNow target={view.target} done={refresh} />}
        {closed.map(({ id }) => (
          <a key={id} href={`/i/${encodeURIComponent(id)}`}>
            incident {visible(id)}, closed
          </a>
        ))}
        <GrafanaLink target={view.target} from={view.from} to={view.to < view.at ? view.to : undefined} />
        <Details view={view} />
      </p>
    </div>
  );
}

function CauseText({ cause, isAllowed }: { readonly cause: TargetCause | null; readonly isAllowed: boolean }) {
  if (cause === null)
    return <span class="muted">not known yet: {isAllowed ? 'no capture shows it so far' : 'captures are off'}</span>;
  if (cause.kind !== 'known leak') return <>{visible(cause.text)}</>;
  const { ref, title, fixedIn, isConfirmed } = cause;
  return (
    <>
      {isConfirmed ? 'known leak' : 'probably the known leak'}{' '}
      <a href={`/catalogue?q=${encodeURIComponent(ref ?? '')}`}>{visible(ref ?? '')}</a>: {visible(title)};{' '}
      <strong>{fixedIn.length === 0 ? 'no release has a fix' : `fixed in ${visible(fixedIn.join(', '))}`}</strong>
    </>
  );
}

interface LimitArithmeticProps {
  readonly worst: ResourceDetection;
  readonly limit: NonNullable<ResourceDetection['limit']>;
  readonly view: TargetView;
}

/** All that it takes to compute the time again. */
function LimitArithmetic({ worst, limit, view }: LimitArithmeticProps) {
  const { unit, resource, timeToLimitHours } = worst;
  const [low, high] = limit.perHour;
  const from = view.limits.find(one => one.resource === resource)?.from ?? null;
  const what = resource === 'live heap' ? 'resident' : resource;
  return (
    <>
      reached in <span class="mono">{limitText(timeToLimitHours)}</span> = (
      <span class="mono">{amountText(unit, limit.value)}</span> limit{from === null ? '' : `, ${from}`} −{' '}
      <span class="mono">{amountText(unit, limit.level)}</span> {what} on its trend) /{' '}
      <span class="mono">
        {amountText(unit, low)} to {amountText(unit, high)} per hour
      </span>
      , its rise
    </>
  );
}

/** What describes the machine, not the verdict. */
function Details({ view: { attributes } }: { readonly view: TargetView }) {
  const named = Object.entries(attributes);
  if (named.length === 0) return null;
  const { version } = attributes;
  return (
    <details class="answer-details">
      <summary>details{version === undefined ? '' : `: ${visible(version)}`}</summary>
      <p class="answer-facts">
        {named.map(([name, value]) => (
          <span key={name}>
            <span class="muted">{visible(name)}</span> <span class="mono">{visible(value)}</span>
          </span>
        ))}
      </p>
    </details>
  );
}

/** A button that captures a target now. */
function CaptureNow({ target, done }: { readonly target: string; readonly done: () => void }) {
  const [state, setState] = useState<{ readonly busy: boolean; readonly message: string }>({
    busy: false,
    message: '',
  });
  const take = async (): Promise<void> => {
    setState({ busy: true, message: 'requesting …' });
    try {
      await api(`/targets/${encodeURIComponent(target)}/capture`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      setState({ busy: false, message: 'capture started' });
      done();
    } catch (error) {
      const { message, hint } = error instanceof ApiError ? error : new ApiError(String(error), 0, '');
      setState({ busy: false, message: `${message} ${hint}` });
    }
  };
  return (
    <>
      <button type="button" disabled={state.busy} onClick={() => void take()}>
        Capture now
      </button>
      <span role="status">{visible(state.message)}</span>
    </>
  );
}
