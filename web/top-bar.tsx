/** Name, cluster, search, time range, theme, help and the state of the connection. */
import { useRef } from 'preact/hooks';
import { visible } from '../src/base/visible-text.ts';
import { frame, home } from './state/frame.ts';
import { connection, status, tickMs, type Connection, useLive } from './state/live.ts';
import { navigate, path, query, readableQuery, setQuery } from './state/router.ts';
import { cycleTheme, themeChoice } from './state/theme.ts';
import { usePausedField } from './state/use-paused-field.ts';
import { fixedRange, RANGES_HOURS, rangeHours, setHours } from './state/time-range.ts';
import { clockText } from './widgets/time-text.ts';
import { openKeyHelp } from './key-help.tsx';
import { openRangeDialog } from './range-dialog.tsx';
import { formatAge, formatRange, formatSeconds } from '../src/base/say.ts';

const SEARCH_ID = 'search';
/** As many characters as the server takes. */
const MAX_LENGTH = 200;
/** Someone who types does not need an answer to every letter. */
const PAUSE_MS = 120;

export function focusSearch(): void {
  const field = document.getElementById(SEARCH_ID);
  if (field instanceof HTMLInputElement) {
    field.focus();
    field.select();
  }
}

export function TopBar() {
  const known = status.value;
  const isViewer = frame.value === 'files';
  return (
    <header class={`top-bar${isViewer ? ' top-bar-viewer' : ''}`}>
      <a class="top-bar-name" href={home.value.url}>
        Oakum
      </a>
      {known !== null && (
        <span class="top-bar-cluster" title={`oakum ${known.version}, ${known.mode}`}>
          {known.clusters === undefined ? (
            <span>{visible(known.cluster)}</span>
          ) : (
            <a href="/?by=cluster" title={known.clusters.map(({ name }) => visible(name)).join(', ')}>
              {visible(known.cluster)}
            </a>
          )}
          {known.mode === 'demo' && (
            <span class="top-bar-demo">demo{known.pace > 1 ? `, ${known.pace}× faster` : ''}</span>
          )}
        </span>
      )}
      {!isViewer && <Search key={path.value === '/' ? 'fleet' : 'other'} />}
      {!isViewer && <RangeChoice />}
      <button
        type="button"
        class="top-bar-icon"
        onClick={cycleTheme}
        aria-label={`Theme: ${themeChoice.value}`}
        title={`Theme: ${themeChoice.value}`}
      >
        <ThemeIcon />
      </button>
      <button
        type="button"
        class="top-bar-icon top-bar-help"
        onClick={openKeyHelp}
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
      >
        ?
      </button>
      {(!isViewer || connection.value.kind === 'lost') && <ConnectionState />}
    </header>
  );
}

/** On the fleet page it filters while the user types; on other pages Enter goes to the fleet. */
function Search() {
  const onFleet = path.value === '/';
  const field = useRef<HTMLInputElement>(null);
  const [text, type] = usePausedField(onFleet ? (query.value.get('q') ?? '') : '', typed => {
    if (path.peek() === '/') setQuery({ q: typed === '' ? null : typed });
  });
  return (
    <form
      class="top-bar-search"
      role="search"
      onSubmit={event => {
        event.preventDefault();
        const wanted = field.current?.value ?? '';
        field.current?.blur();
        if (onFleet) type(wanted, 0);
        else navigate(`/?${readableQuery(new URLSearchParams({ q: wanted }))}`);
      }}
    >
      <input
        id={SEARCH_ID}
        ref={field}
        type="search"
        aria-label="Search nodes"
        placeholder="Search nodes, versions, pools   /"
        autocomplete="off"
        spellcheck={false}
        maxLength={MAX_LENGTH}
        value={text}
        onInput={event => type(event.currentTarget.value, PAUSE_MS)}
      />
    </form>
  );
}

function RangeChoice() {
  const hours = rangeHours.value;
  const fixed = fixedRange.value;
  const offered: readonly number[] = RANGES_HOURS;
  const all = offered.includes(hours) ? offered : [...offered, hours].sort((a, b) => a - b);
  return (
    <select
      class="top-bar-range mono"
      aria-label="Time range"
      title="Time range: [ shorter, ] longer"
      value={fixed === undefined ? String(hours) : 'fixed'}
      onChange={event => {
        if (event.currentTarget.value !== 'dialog') return setHours(Number(event.currentTarget.value));
        event.currentTarget.value = fixed === undefined ? String(hours) : 'fixed';
        openRangeDialog();
      }}
    >
      {fixed !== undefined && (
        <option value="fixed" disabled>
          {clockText(fixed.from)}–{clockText(fixed.to)}
        </option>
      )}
      {all.map(offer => (
        <option key={offer} value={String(offer)}>
          {formatRange(offer)}
        </option>
      ))}
      {path.value !== '/' && <option value="dialog">from … to …</option>}
    </select>
  );
}

function ThemeIcon() {
  const choice = themeChoice.value;
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill={choice === 'dark' ? 'currentColor' : 'none'} stroke="currentColor" />
      {choice === 'system' && <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />}
    </svg>
  );
}

/** Whether the page is live, and if not, since when. */
function ConnectionState() {
  const live = useLive();
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
        <button type="button" onClick={() => live.retryNow()}>
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
      disconnected for {age}, {wait > 0 ? `retrying in ${formatSeconds(wait)}` : 'retrying'}
    </>
  );
}
