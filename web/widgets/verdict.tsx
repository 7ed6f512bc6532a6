/** Verdicts: each has a shape, a colour and a name. */
import type { Verdict } from '../../src/judge/verdict.ts';

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
