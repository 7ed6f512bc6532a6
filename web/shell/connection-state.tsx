/** Whether what is shown is live, and since when it is not. */
import { formatAge } from '../../src/base/quantities.ts';
import { connection, retryNow, tickMs, type Connection } from '../state/live.ts';

export function ConnectionState() {
  const state = connection.value;
  return (
    <span class={`link link-${state.kind}`}>
      {/* Said once per change, not each second. */}
      <span class="sr-only" role="status">
        {spoken(state)}
      </span>
      <span class="link-dot" aria-hidden="true" />
      <span aria-hidden="true">
        <Words state={state} />
      </span>
      {state.kind === 'lost' && (
        <button type="button" onClick={retryNow}>
          Retry now
        </button>
      )}
    </span>
  );
}

function spoken(state: Connection): string {
  if (state.kind === 'live') return 'Live';
  if (state.kind === 'connecting') return 'Connecting';
  return state.kind === 'quiet' ? 'No news from the server' : 'Disconnected; the last data stay';
}

function Words({ state }: { readonly state: Connection }) {
  if (state.kind === 'live') return <>live</>;
  if (state.kind === 'connecting') return <>connecting</>;
  const age = formatAge((tickMs.value - state.sinceMs) / 1000);
  if (state.kind === 'quiet') return <>no news for {age}</>;
  const wait = Math.ceil((state.retryAtMs - tickMs.value) / 1000);
  return (
    <>
      disconnected for {age}, {wait > 0 ? `retry in ${wait} s` : 'trying'}
    </>
  );
}
