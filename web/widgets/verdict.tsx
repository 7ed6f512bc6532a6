/** Verdicts: each has a shape, a colour and a name. */
import type { Verdict } from '../../src/judge/verdict.ts';
import { visible } from '../../src/base/visible-text.ts';

/** Only the shape: put the verdict's name beside it or in a label. */
export function VerdictMark({ verdict }: { readonly verdict: Verdict }) {
  return (
    <svg class={`verdict-mark verdict-${verdict}`} viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
      {verdict === 'leak' && <circle cx="8" cy="8" r="7" fill="currentColor" />}
      {verdict === 'watch' && (
        <>
          <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" />
          <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
        </>
      )}
      {verdict === 'healthy' && <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" />}
      {verdict === 'unknown' && (
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="2.2 2.5" />
      )}
    </svg>
  );
}

export function VerdictWord({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict-word verdict-${verdict}`}>
      <VerdictMark verdict={verdict} />
      {verdict}
    </span>
  );
}

/** The reasons for a verdict or a number, one click away. */
interface WhyProps {
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

/** What to do, line by line. Text in backquotes is a command. */
export function Advice({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul class="advice">
      {lines.map((line, i) => (
        <li key={i}>
          {visible(line)
            .split('`')
            .map((part, k) => (k % 2 === 1 ? <code key={k}>{part}</code> : part))}
        </li>
      ))}
    </ul>
  );
}
