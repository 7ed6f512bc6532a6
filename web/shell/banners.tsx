/** Lines above every page: problems of the store, missing rights, what the demo does next. */
import { visible } from '../../src/base/visible-text.ts';
import { formatAge } from '../../src/base/quantities.ts';
import type { WatchStatus } from '../../src/model/watch.ts';
import { status, serverNow } from '../state/live.ts';

export function Banners() {
  if (status.value === null) return null;
  const { store, missingRights, story, pace } = status.value;
  return (
    <>
      {store.degraded !== null && (
        <p class="banner" role="status">
          <strong>The store has a problem:</strong> {visible(store.degraded)}
        </p>
      )}
      {missingRights.length > 0 && <MissingRights rights={missingRights} />}
      {story.length > 0 && <DemoStory story={story} pace={pace} />}
    </>
  );
}

function MissingRights({ rights }: { readonly rights: WatchStatus['missingRights'] }) {
  return (
    <details class="banner banner-rights">
      <summary>
        <strong>Not allowed:</strong> {rights.map(({ what }) => visible(what)).join('; ')}
      </summary>
      <ul>
        {rights.map(({ what, command }) => (
          <li key={what}>
            {visible(what)}; to fix it: <code>{visible(command)}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function DemoStory({ story, pace }: { readonly story: WatchStatus['story']; readonly pace: number }) {
  const now = serverNow.value;
  const past = story.findLast(({ at }) => at <= now);
  const next = story.find(({ at }) => at > now);
  return (
    <p class="banner banner-story">
      {past !== undefined && <span>{visible(past.text)}</span>}
      {next !== undefined && (
        <span class="muted">
          In <span class="mono">{formatAge((next.at - now) / pace)}</span>: {visible(next.text)}
        </span>
      )}
    </p>
  );
}
