/** The slopes before and after a restart side by side: the same bar twice means that a restart only buys time. */
import type { ComponentChildren } from 'preact';
import { visible } from '../../../src/base/visible-text.ts';
import type { Resource } from '../../../src/evidence/resource.ts';
import type { IncidentView } from '../../../src/watch/watch-model.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { amountText, slopeText } from '../../text/amount-text.ts';
import type { RestartSlopes } from '../../../src/judge/restart/after-restart.ts';

interface RestartComparisonProps {
  readonly afterRestart: NonNullable<IncidentView['afterRestart']>;
  readonly resource: Resource;
  /** Below the slopes. */
  readonly children: ComponentChildren;
}

export function RestartComparison({ afterRestart, resource, children }: RestartComparisonProps) {
  const { verdict, text, slopes, at, now } = afterRestart;
  const most =
    slopes === null ? 1 : Math.max(...slopes.before.interval, ...slopes.after.interval, ...(now?.interval ?? []), 1e-9);
  return (
    <section aria-labelledby="restart-title">
      <h2 id="restart-title">Before and after the restart</h2>
      <p>
        <strong>{verdict}</strong>. {visible(text)}
      </p>
      {slopes !== null && (
        <dl class="restart-slopes">
          <SlopeBar name="before" slope={slopes.before} unit={slopes.unit} most={most} resource={resource} />
          <SlopeBar name="after" slope={slopes.after} unit={slopes.unit} most={most} resource={resource}>
            {at !== null && (
              <span class="muted">
                until <Timestamp at={at} />, when it was judged
              </span>
            )}
          </SlopeBar>
          {now !== null && <SlopeBar name="now" slope={now} unit={slopes.unit} most={most} resource={resource} />}
        </dl>
      )}
      {children}
    </section>
  );
}

interface SlopeBarProps {
  readonly name: string;
  readonly slope: RestartSlopes['before'];
  readonly unit: RestartSlopes['unit'];
  /** Fills the whole width. */
  readonly most: number;
  readonly resource: Resource;
  readonly children?: ComponentChildren;
}

function SlopeBar({ name, slope: { perHour, interval }, unit, most, resource, children }: SlopeBarProps) {
  const percent = (value: number): number => Math.min(100, Math.max(0, (100 * value) / most));
  const [low, high] = interval;
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>
        <span class="restart-track" aria-hidden="true">
          <span class="restart-bar" style={{ width: `${percent(perHour)}%` }} />
          <span
            class="restart-interval"
            style={{ left: `${percent(low)}%`, width: `${percent(high) - percent(low)}%` }}
          />
        </span>
        <span>
          {resource} <span class="mono">{slopeText(unit, perHour)}</span>{' '}
          <span class="muted">
            ({amountText(unit, low)} to {amountText(unit, high)})
          </span>
        </span>
        {children}
      </dd>
    </div>
  );
}
