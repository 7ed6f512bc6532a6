/** Lines above every page: problems of the store, missing rights, what the demo has found. */
import { visible } from '../../src/base/visible-text.ts';
import type { WatchStatus } from '../../src/watch/watch-model.ts';
import { status } from '../state/live.ts';
import { path } from '../state/router.ts';
import { DemoStory } from './demo-story.tsx';

export function Banners() {
  if (status.value === null) return null;
  const { store, missingRights, story, replicas } = status.value;
  return (
    <>
      {store.degraded !== null && (
        <p class="banner" role="status">
          <strong>The store has a problem:</strong> {visible(store.degraded)}
        </p>
      )}
      {replicas?.trouble != null && (
        <p class="banner" role="status">
          <strong>On its own:</strong> {visible(replicas.trouble)}
        </p>
      )}
      {missingRights.length > 0 && <MissingRights rights={missingRights} />}
      {story.length > 0 && <DemoStory story={story} isWhole={path.value === '/'} />}
    </>
  );
}

const WHY = { forbidden: 'Not allowed', failing: 'Not reachable', off: 'Switched off' } as const;

/** One banner for each reason: a server that is down is not a right that is missing. */
function MissingRights({ rights }: { readonly rights: WatchStatus['missingRights'] }) {
  return (
    <>
      {(['failing', 'forbidden', 'off'] as const).map(why => {
        const ofWhy = rights.filter(right => right.why === why);
        return ofWhy.length === 0 ? null : (
          <details key={why} class="banner banner-rights">
            <summary>
              <strong>{WHY[why]}:</strong> {ofWhy.map(({ what }) => visible(what)).join('; ')}
            </summary>
            <ul>
              {ofWhy.map(({ what, command }) => (
                <li key={what}>
                  {visible(what)}; {why === 'failing' ? 'next: ' : 'to change it: '}
                  <code>{visible(command)}</code>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}
