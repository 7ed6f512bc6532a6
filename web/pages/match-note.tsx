/** A known leak that a family is, in a line, with why. */
import { visible } from '../../src/base/visible-text.ts';
import type { Match, VersionVerdict } from '../../src/model/known-leak.ts';
import { Why } from '../widgets/why.tsx';

const VERSIONS: Readonly<Record<VersionVerdict, string>> = {
  affected: 'this version is affected',
  fixed: 'this version has the fix',
  'not-affected': 'this version is not affected',
  unknown: 'version not known',
};

export function MatchNote({ match }: { readonly match: Match }) {
  const fixed =
    match.fixedIn.length === 0 ? 'no release has a fix' : `fixed in ${match.fixedIn.map(visible).join(', ')}`;
  return (
    <div class="match-note">
      <strong>
        <a href={`/catalogue?q=${encodeURIComponent(match.ref)}`}>{visible(match.ref)}</a>
      </strong>{' '}
      <span class="muted">({match.grade})</span> {visible(match.title)}; {VERSIONS[match.affected]}; {fixed}.
      <Why of={match.ref} label="why this match" reasons={match.why} />
    </div>
  );
}
