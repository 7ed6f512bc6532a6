/** The reasons for a verdict or a number, one click away. */
import { visible } from '../../src/base/visible-text.ts';

export interface WhyProps {
  /** What the reasons are for; for screen readers. */
  readonly of: string;
  readonly reasons: readonly string[];
  /** Inputs by name: the metric, the interval ... */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The text to click. */
  readonly label?: string;
}

export function Why({ of, reasons, inputs = {}, label = 'why' }: WhyProps) {
  const named = Object.entries(inputs);
  if (reasons.length === 0 && named.length === 0) return null;
  return (
    <details class="why">
      <summary>
        {label}
        <span class="sr-only"> {of}</span>
      </summary>
      <div class="why-body">
        {reasons.length > 0 && (
          <ul>
            {reasons.map((reason, i) => (
              <li key={i}>{visible(reason)}</li>
            ))}
          </ul>
        )}
        {named.length > 0 && (
          <dl>
            {named.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd class="mono">{visible(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </details>
  );
}
