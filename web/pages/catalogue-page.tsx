/** Which leaks are known? The server's catalogue with matches in this fleet; without a server, the bundled one. */
import { useState } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { refOf } from '../../src/knowledge/refs.ts';
import { type CatalogueView, viewOfLeaks } from '../../src/knowledge/view.ts';
import { type PageProps, readableQuery, setQuery, targetUrl } from '../state/router.ts';
import { hasServer } from '../state/api.ts';
import { useApi } from '../state/use-api.ts';
import { Fact, FactList } from '../widgets/facts-table.tsx';
import { WhenLoaded } from '../widgets/loading-states.tsx';

export function CataloguePage({ query }: PageProps) {
  const resource = useApi<CatalogueView>(
    'catalogue',
    () => '/catalogue',
    event => event.kind === 'incident',
  );
  // If the server has no catalogue to offer, show the one that came with the page.
  const why = resource.data === undefined ? resource.error?.message : undefined;
  const shown = why === undefined ? resource : { ...resource, data: viewOfLeaks(BUNDLED_LEAKS), error: undefined };
  const told = hasServer.value ? why : undefined;
  return <WhenLoaded api={shown}>{view => <Catalogue view={view} query={query} whyBundled={told} />}</WhenLoaded>;
}

/** More would fill a phone before the first leak is seen. */
const MAX_COMPONENTS = 12;

interface CatalogueProps {
  readonly view: CatalogueView;
  readonly query: URLSearchParams;
  /** Why the server's catalogue is not available. */
  readonly whyBundled: string | undefined;
}

function Catalogue({ view, query, whyBundled }: CatalogueProps) {
  const [text, setText] = useState(query.get('q') ?? '');
  const component = query.get('component') ?? '';
  const onlyHere = query.get('here') === '1';
  const id = query.get('id') ?? '';
  const [isAll, showAll] = useState(false);
  const components = componentsOf(view.leaks);
  const shownComponents = components.filter(([name], i) => isAll || i < MAX_COMPONENTS || name === component);
  const found = filterLeaks(view.leaks, { text, component, onlyHere });
  const search = (typed: string): void => {
    setText(typed);
    setQuery({ q: typed === '' ? null : typed, id: null });
  };
  return (
    <div class="page-catalogue">
      <h1 class="answer">{visible(view.sentence)}</h1>
      {whyBundled !== undefined && (
        <p class="banner">{visible(whyBundled)} Showing the catalogue that came with the page.</p>
      )}
      <div class="filters-row">
        <input
          type="search"
          aria-label="Filter known leaks"
          placeholder="Filter, for example 1.36 or #139823"
          value={text}
          onInput={event => search(event.currentTarget.value)}
        />
        {view.leaks.some(({ targetCount }) => targetCount > 0) && (
          <button type="button" aria-pressed={onlyHere} onClick={() => setQuery({ here: onlyHere ? null : '1' })}>
            In this fleet
          </button>
        )}
        <div class="chips" role="group" aria-label="Component">
          {shownComponents.map(([name, count]) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={name === component}
              onClick={() => setQuery({ component: name === component ? null : name })}
            >
              <span class="mono">{visible(name)}</span>
              <span class="chip-count muted mono">{count}</span>
            </button>
          ))}
          {shownComponents.length < components.length && (
            <button type="button" class="chip" onClick={() => showAll(true)}>
              {formatCount(components.length - shownComponents.length)} more
            </button>
          )}
        </div>
      </div>
      <p class="muted" role="status">
        {found.length === view.leaks.length ? '' : `${formatCount(found.length)} of ${formatCount(view.leaks.length)}`}
      </p>
      <ul class="known-list">
        {found.map(leak => (
          <Entry key={leak.id} leak={leak} isOpen={leak.id === id || leak.targetCount > 0 || found.length === 1} />
        ))}
      </ul>
      {found.length === 0 && (
        <p class="muted">No known leak matches. A leak that nobody has reported yet is still a leak.</p>
      )}
    </div>
  );
}

function Entry({ leak, isOpen }: { readonly leak: CatalogueEntry; readonly isOpen: boolean }) {
  const isReport = leak.grade === 'unconfirmed';
  const fixed = leak.fixedIn.length > 0 ? `fixed in ${leak.fixedIn.join(', ')}` : isReport ? '' : 'no fix released';
  return (
    <li class="known" id={leak.id}>
      <details open={isOpen}>
        <summary>
          <span class="known-title">
            {visible(leak.title)}{' '}
            {leak.targetCount > 0 && (
              <span class="known-here">
                {formatCount(leak.targetCount)} {leak.targetCount === 1 ? 'target' : 'targets'} here
              </span>
            )}
          </span>
          <span class="known-head muted">
            <span class="mono">{visible(leak.component)}</span>
            <span>{visible(gradeText(leak.grade))}</span>
            {fixed !== '' && <span>{visible(fixed)}</span>}
          </span>
        </summary>
        <div class="known-body">
          <p>{visible(leak.summary)}</p>
          {isReport && (
            <p class="muted">Listed so that nobody investigates it twice; Oakum never names it as a cause.</p>
          )}
          <FactList>
            <Fact name="affected">
              <span class="mono">{visible(leak.affected)}</span>
            </Fact>
            <Fact name="references">
              {leak.references.map(address => (
                <Reference key={address} address={address} />
              ))}
            </Fact>
            <Fact name="id">
              <a class="mono" href={`/catalogue?id=${encodeURIComponent(leak.id)}`}>
                {visible(leak.id)}
              </a>
            </Fact>
            {leak.targets.length > 0 && (
              <Fact name="seen on">
                <span class="known-targets">
                  {leak.targets.map(target => (
                    <a key={target} href={targetUrl(target)}>
                      {visible(target)}
                    </a>
                  ))}
                  {leak.targetCount > leak.targets.length && (
                    <a href={fleetUrl(leak)}>and {formatCount(leak.targetCount - leak.targets.length)} more</a>
                  )}
                </span>
              </Fact>
            )}
          </FactList>
        </div>
      </details>
    </li>
  );
}

/** Those of its targets that grow for this reason now. */
function fleetUrl({ references }: CatalogueEntry): string {
  return `/?${readableQuery(new URLSearchParams({ q: referenceText(references[0] ?? '') }))}`;
}

/** A link; entries of your own may have references that are not addresses. */
function Reference({ address }: { readonly address: string }) {
  const text = visible(referenceText(address));
  if (!address.startsWith('https://')) return <span class="mono">{text} </span>;
  return (
    <a class="mono known-ref" href={address} rel="noreferrer" target="_blank">
      {text}
    </a>
  );
}

/** The entries of the catalogue that match the filter. */
type CatalogueEntry = CatalogueView['leaks'][number];

interface CatalogueFilter {
  /** Every word must occur in the entry. */
  readonly text: string;
  /** '' for any. */
  readonly component: string;
  readonly onlyHere: boolean;
}

export function filterLeaks(leaks: readonly CatalogueEntry[], filter: CatalogueFilter): CatalogueEntry[] {
  const terms = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return leaks
    .filter(leak => filter.component === '' || leak.component === filter.component)
    .filter(leak => !filter.onlyHere || leak.targetCount > 0)
    .filter(leak => {
      const text = textOf(leak);
      return terms.every(term => text.includes(term));
    })
    .sort((a, b) => b.targetCount - a.targetCount);
}

function textOf(leak: CatalogueEntry): string {
  const { id, title, component, grade, affected, fixedIn, references, summary, targets } = leak;
  const names = references.map(referenceText);
  return [id, title, component, gradeText(grade), affected, ...fixedIn, ...references, ...names, summary, ...targets]
    .join('\n')
    .toLowerCase();
}

/** The components and their numbers of entries, the largest first. */
export function componentsOf(leaks: readonly CatalogueEntry[]): (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { component } of leaks) counts.set(component, (counts.get(component) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const GRADES: Readonly<Record<string, string>> = {
  seen: 'stacks seen in dumps',
  'from-fix': 'stacks inferred from the fix',
  'no-stacks': 'not recognisable by stacks',
  unconfirmed: 'reported, unconfirmed',
};

export function gradeText(grade: string): string {
  return GRADES[grade] ?? grade;
}

/** `kubernetes#139823` for known trackers, otherwise the address. */
export function referenceText(address: string): string {
  return refOf(address) ?? address.replace(/^https:\/\//, '');
}
