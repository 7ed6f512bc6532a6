/** What is known? The catalogue as the server has it, with what of it matches this fleet; the bundled one without a server. */
import { useState } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import { BUNDLED_LEAKS } from '../../../src/catalogue/bundled.ts';
import { viewOfLeaks } from '../../../src/catalogue/view.ts';
import type { CatalogueView } from '../../../src/model/watch.ts';
import { setQuery, targetUrl } from '../../state/router.ts';
import { useResource } from '../../state/use-api.ts';
import { Answered } from '../../widgets/loading-states.tsx';
import { componentsOf, filterLeaks, gradeText, referenceText, type KnownEntry } from './catalogue-filter.ts';

interface PageProps {
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
}

export function CataloguePage({ query }: PageProps) {
  const resource = useResource<CatalogueView>(
    'catalogue',
    () => '/catalogue',
    event => event.kind === 'incident',
  );
  // Without a server, or with one that has no catalogue, what came with the page is better than nothing.
  const why = resource.data === undefined ? resource.error?.message : undefined;
  const shown = why === undefined ? resource : { ...resource, data: viewOfLeaks(BUNDLED_LEAKS), error: undefined };
  return <Answered resource={shown}>{view => <Catalogue view={view} query={query} whyBundled={why} />}</Answered>;
}

interface CatalogueProps {
  readonly view: CatalogueView;
  readonly query: URLSearchParams;
  /** Why the server's was not to be had. */
  readonly whyBundled: string | undefined;
}

function Catalogue({ view, query, whyBundled }: CatalogueProps) {
  const [text, setText] = useState(query.get('q') ?? '');
  const component = query.get('component') ?? '';
  const onlyHere = query.get('here') === '1';
  const id = query.get('id') ?? '';
  const found = filterLeaks(view.leaks, { text, component, onlyHere });
  const search = (words: string): void => {
    setText(words);
    setQuery({ q: words === '' ? null : words, id: null });
  };
  return (
    <div class="page-catalogue">
      <h1 class="answer">{visible(view.sentence)}</h1>
      {whyBundled !== undefined && (
        <p class="strip">{visible(whyBundled)} This is the catalogue that came with the page.</p>
      )}
      <div class="filters-row">
        <input
          type="search"
          aria-label="Filter known leaks"
          placeholder="Filter, such as 1.36 or #139823"
          value={text}
          onInput={event => search(event.currentTarget.value)}
        />
        {view.leaks.some(({ targets }) => targets.length > 0) && (
          <button type="button" aria-pressed={onlyHere} onClick={() => setQuery({ here: onlyHere ? null : '1' })}>
            In this fleet
          </button>
        )}
        <div class="chips" role="group" aria-label="Component">
          {componentsOf(view.leaks).map(([name, count]) => (
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
        </div>
      </div>
      <p class="muted" role="status">
        {found.length === view.leaks.length ? '' : `${formatCount(found.length)} of ${formatCount(view.leaks.length)}`}
      </p>
      <ul class="known-list">
        {found.map(leak => (
          <Entry key={leak.id} leak={leak} isOpen={leak.id === id || leak.targets.length > 0 || found.length === 1} />
        ))}
      </ul>
      {found.length === 0 && (
        <p class="muted">Nothing known matches. A leak that nobody has reported yet is still one.</p>
      )}
    </div>
  );
}

function Entry({ leak, isOpen }: { readonly leak: KnownEntry; readonly isOpen: boolean }) {
  const isReport = leak.grade === 'unconfirmed';
  const fixed = leak.fixedIn.length > 0 ? `fixed in ${leak.fixedIn.join(', ')}` : isReport ? '' : 'no fix released';
  return (
    <li class="known" id={leak.id}>
      <details open={isOpen}>
        <summary>
          <span class="known-title">
            {visible(leak.title)}{' '}
            {leak.targets.length > 0 && (
              <span class="known-here">
                {formatCount(leak.targets.length)} {leak.targets.length === 1 ? 'target' : 'targets'} here
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
          {isReport && <p class="muted">Kept so that nobody looks for it twice; it is never named as a cause.</p>}
          <dl class="family-facts">
            <div>
              <dt class="muted">affected</dt>
              <dd class="mono">{visible(leak.affected)}</dd>
            </div>
            <div>
              <dt class="muted">references</dt>
              <dd>
                {leak.references.map(address => (
                  <Reference key={address} address={address} />
                ))}
              </dd>
            </div>
            <div>
              <dt class="muted">id</dt>
              <dd>
                <a class="mono" href={`/catalogue?id=${encodeURIComponent(leak.id)}`}>
                  {visible(leak.id)}
                </a>
              </dd>
            </div>
            {leak.targets.length > 0 && (
              <div>
                <dt class="muted">seen on</dt>
                <dd class="known-targets">
                  {leak.targets.map(target => (
                    <a key={target} href={targetUrl(target)}>
                      {visible(target)}
                    </a>
                  ))}
                </dd>
              </div>
            )}
          </dl>
        </div>
      </details>
    </li>
  );
}

/** Addresses, and of a site's own entries whatever they name. */
function Reference({ address }: { readonly address: string }) {
  const text = visible(referenceText(address));
  if (!address.startsWith('https://')) return <span class="mono">{text} </span>;
  return (
    <a class="mono known-ref" href={address} rel="noreferrer" target="_blank">
      {text}
    </a>
  );
}
