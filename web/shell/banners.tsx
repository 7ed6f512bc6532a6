/** What is to be said of the whole before any page: rights that are missing, a store in need, what a demo does next. */
import { visible } from '../../src/base/visible-text.ts';
import { formatAge } from '../../src/base/quantities.ts';
import type { WatchStatus } from '../../src/model/watch.ts';
import { status, worldNow } from '../state/live.ts';

export function Strips() {
  const known = status.value;
  if (known === null) return null;
  return (
    <>
      {known.store.degraded !== null && (
        <p class="strip" role="status">
          <strong>The store is in need:</strong> {visible(known.store.degraded)}
        </p>
      )}
      {known.missingRights.length > 0 && <MissingRights rights={known.missingRights} />}
      {known.story.length > 0 && <Story story={known.story} pace={known.pace} />}
    </>
  );
}

function MissingRights({ rights }: { readonly rights: WatchStatus['missingRights'] }) {
  return (
    <details class="strip strip-rights">
      <summary>
        <strong>Not allowed:</strong> {rights.map(({ what }) => visible(what)).join('; ')}
      </summary>
      <ul>
        {rights.map(({ what, command }) => (
          <li key={what}>
            To allow it ({visible(what)}): <code>{visible(command)}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Story({ story, pace }: { readonly story: WatchStatus['story']; readonly pace: number }) {
  const now = worldNow.value;
  const past = story.findLast(({ at }) => at <= now);
  const next = story.find(({ at }) => at > now);
  return (
    <p class="strip strip-story">
      {past !== undefined && <span>{visible(past.text)}</span>}
      {next !== undefined && (
        <span class="muted">
          In <span class="mono">{formatAge((next.at - now) / pace)}</span>: {visible(next.text)}
        </span>
      )}
    </p>
  );
}
