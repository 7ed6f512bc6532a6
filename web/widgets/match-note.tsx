/** A known leak that matches a family, and why. The command line uses the same wording. */
import { visible } from '../../src/base/visible-text.ts';
import { type Match, matchConsequences } from '../../src/knowledge/known-leak-match.ts';
import { Why } from './verdict.tsx';

export function MatchNote({ match }: { readonly match: Match }) {
  const [version, ...sideEffects] = matchConsequences(match);
  return (
    <div class="match-note">
      <strong>
        <a href={`/catalogue?q=${encodeURIComponent(match.ref)}`}>{visible(match.ref)}</a>
      </strong>{' '}
      ({match.grade}): {visible(match.title)}; {version}.{' '}
      <Why of={match.ref} label="why this match" reasons={match.why} />
      {sideEffects.map(effect => (
        <p key={effect} class="muted">
          {effect}
        </p>
      ))}
    </div>
  );
}
