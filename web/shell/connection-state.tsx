/** Whether the page is live, and if not, since when. */
import { formatAge } from '../../src/base/quantities.ts';
import { connection, retryNow, tickMs, type Connection } from '../state/live.ts';

export function ConnectionState() {
  const state = connection.value;
  return (
    <span class={`connection connection-${state.kind}`}>
      {/* Announced once per change, not every second. */}
      <span class="sr-only" role="status">
        {announcement(state)}
      </span>
      <span class="connection-dot" aria-hidden="true" />
      <span aria-hidden="true">
        <ConnectionText state={state} />
      </span>
      {state.kind === 'lost' && (
        <button type="button" onClick={retryNow}>
          Retry now
        </button>
      )}
    </span>
  );
}

function announcement(state: Connection): string {
  if (state.kind === 'live') return 'Live';
  if (state.kind === 'connecting') return 'Connecting';
  return state.kind === 'quiet' ? 'No updates from the server' : 'Disconnected; this page shows the last data';
}

function ConnectionText({ state }: { readonly state: Connection }) {
  if (state.kind === 'live') return <>live</>;
  if (state.kind === 'connecting') return <>connecting</>;
  const age = formatAge((tickMs.value - state.sinceMs) / 1000);
  if (state.kind === 'quiet') return <>no updates for {age}</>;
  const wait = Math.ceil((state.retryAtMs - tickMs.value) / 1000);
  return (
    <>
      disconnected for {age}, {wait > 0 ? `retrying in ${wait} s` : 'retrying'}
    </>
  );
}
