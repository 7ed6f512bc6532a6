/** What the demo has found so far: the last event, all others one click away, and an invitation at the end. */
import { visible } from '../../src/base/visible-text.ts';
import type { StoryEvent } from '../../src/watch/watch-model.ts';
import { targetUrl } from '../state/router.ts';
import { Timestamp } from '../widgets/timestamp.tsx';

interface DemoStoryProps {
  readonly story: readonly StoryEvent[];
  /** With the invitation at the end; on the pages that it leads to, their own answer comes first. */
  readonly isWhole: boolean;
}

export function DemoStory({ story, isWhole }: DemoStoryProps) {
  const last = story.at(-1);
  if (last === undefined) return null;
  return (
    <section class="banner banner-story" aria-label="The story so far">
      <p role="status">
        <EventLine event={last} />
      </p>
      {last.kind === 'end' && isWhole && <Invitation incidentId={last.incidentId} />}
      {story.length > 1 && (
        <details>
          <summary>
            {story.length} events<span class="sr-only"> of the story</span>
          </summary>
          <ol class="story-events">
            {story.map((event, i) => (
              <li key={i}>
                <EventLine event={event} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function EventLine({ event: { at, target, incidentId, text } }: { readonly event: StoryEvent }) {
  return (
    <>
      <Timestamp at={at} />{' '}
      {target !== null && (
        <a href={incidentId === null ? targetUrl(target) : `/i/${encodeURIComponent(incidentId)}`}>{visible(target)}</a>
      )}{' '}
      {visible(text)}
    </>
  );
}

function Invitation({ incidentId }: { readonly incidentId: string | null }) {
  return (
    <p class="story-invitation">
      {incidentId !== null && (
        <a class="button button-main" href={`/i/${encodeURIComponent(incidentId)}`}>
          See the proof on one page
        </a>
      )}
      <span>
        Your own cluster: <code>oakum watch --context NAME</code>
      </span>
      <span>
        one node of it, now: <code>oakum triage node/NAME</code>
      </span>
      <span>
        files that you have: <a href="/p/upload">open them</a> or <code>oakum analyze FILE...</code>
      </span>
    </p>
  );
}
