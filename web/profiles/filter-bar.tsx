/** The filters of a profile's page: sample type, search, labels. */
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { ValueType } from '../../src/profile/profile.ts';
import type { CallTree } from './call-tree.ts';
import { functionTotals, matchedTotal } from './function-totals.ts';
import { usePausedField } from '../state/use-paused-field.ts';
import { FilterWords } from './filter-words.tsx';
import type { ProfileView } from '../reader/messages.ts';
import type { Search } from './use-profile-view.ts';
import { type ChangeAddress, NEW_TREE, samePair, toggled, type ViewAddress } from './view-address.ts';
import { shareText, unitAs, valueText } from '../widgets/value-text.ts';
import { useEffect, useId, useState } from 'preact/hooks';
import { copyText } from '../widgets/copy-text.ts';
import type { LabelPair, LabelSummary } from '../reader/sample-labels.ts';

/** Further values are in a list. */
const MAX_CHIPS = 5;

export interface FilterBarProps {
  readonly sampleTypes: readonly ValueType[];
  readonly sampleType: string;
  readonly unit: string;
  readonly view: ProfileView | undefined;
  readonly search: Search;
  /** What is wrong with a filter; '' if nothing is. */
  readonly problem: string;
  /** Prints the same in a terminal. */
  readonly command: string;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
}

export function FilterBar(props: FilterBarProps) {
  const { address, change, view, search } = props;
  return (
    <div class="filters">
      <div class="filters-row">
        {props.sampleTypes.length > 1 && (
          <div class="chips" role="group" aria-label="Sample type">
            {props.sampleTypes.map(({ type }) => (
              <button
                key={type}
                type="button"
                class="chip mono"
                aria-pressed={type === props.sampleType}
                onClick={() => change({ sampleType: type, ...NEW_TREE })}
              >
                {visible(type)}
              </button>
            ))}
          </div>
        )}
        <RegexpBox
          label="Find functions"
          value={address.search}
          onValue={text => change({ search: text })}
          problem={search.problem}
          found={view === undefined ? '' : foundText(view.tree, search.matched)}
        />
        {address.search !== '' && search.problem === '' && (
          <button
            type="button"
            onClick={() => change({ search: '', filters: { ...address.filters, focus: address.search }, ...NEW_TREE })}
          >
            Only these stacks
          </button>
        )}
      </div>
      <div class="filters-more">
        <FilterWords
          address={address}
          change={change}
          unit={props.unit}
          problem={props.problem}
          warnings={view?.warnings ?? []}
        />
        <LabelChips
          labels={view?.labels ?? []}
          unit={unitAs(props.unit, address.unit)}
          chosen={address.labels}
          roots={address.roots}
          onChosen={labels => change({ labels, ...NEW_TREE })}
          onRoots={roots => change({ roots, ...NEW_TREE })}
        />
        <CommandBox command={props.command} />
      </div>
    </div>
  );
}

function foundText(tree: CallTree, matched: Uint8Array | undefined): string {
  if (matched === undefined) return '';
  // Only functions in the tree: a profile also names those of samples without a value of this type.
  const functions = functionTotals(tree).filter(({ frame }) => matched[frame] === 1).length;
  const share = shareText(matchedTotal(tree, matched), tree.whole.after);
  return `${formatCount(functions)} ${functions === 1 ? 'function' : 'functions'}, ${share || '0 %'}`;
}

/** A command, ready to copy. */
function CommandBox({ command }: { readonly command: string }) {
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (message === '') return;
    const timer = setTimeout(() => setMessage(''), 2500);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <p class="command-box" aria-label="The same in a terminal" role="group">
      <code title={visible(command)}>{visible(command)}</code>
      <button
        type="button"
        onClick={async () => setMessage((await copyText(command)) ? 'Copied' : 'This browser does not allow copying')}
      >
        Copy command
      </button>
      <span class="muted" role="status">
        {message}
      </span>
    </p>
  );
}

/** The labels of a profile as chips: a value is a filter, a key becomes the root of every stack. */
interface LabelChipsProps {
  readonly labels: readonly LabelSummary[];
  readonly unit: string;
  readonly chosen: readonly LabelPair[];
  readonly roots: readonly string[];
  readonly onChosen: (chosen: readonly LabelPair[]) => void;
  readonly onRoots: (roots: readonly string[]) => void;
}

function LabelChips({ labels, unit, chosen, roots, onChosen, onRoots }: LabelChipsProps) {
  if (labels.length === 0 && chosen.length === 0) return null;
  const isChosen = (pair: LabelPair): boolean => chosen.some(other => samePair(other, pair));
  const toggle = (pair: LabelPair): void => onChosen(toggled(chosen, pair, samePair));
  return (
    <details class="labels" open={chosen.length > 0 || roots.length > 0}>
      <summary>
        Labels <span class="muted">{labels.map(({ key }) => visible(key)).join(', ')}</span>
      </summary>
      {labels.map(({ key, values, valueCount }) => {
        const shown = values.filter(({ value }, i) => i < MAX_CHIPS || isChosen({ key, value }));
        const rest = values.filter(entry => !shown.includes(entry));
        return (
          <div key={key} class="labels-key" role="group" aria-label={`Label ${visible(key)}`}>
            <button
              type="button"
              class="labels-root mono"
              aria-pressed={roots.includes(key)}
              onClick={() => onRoots(toggled(roots, key))}
            >
              {visible(key)} as root
            </button>
            {shown.map(({ value, total }) => (
              <button
                key={value}
                type="button"
                class="chip"
                aria-pressed={isChosen({ key, value })}
                onClick={() => toggle({ key, value })}
              >
                <span class="mono">{visible(value)}</span>
                <span class="chip-count mono muted">{valueText(total, unit)}</span>
              </button>
            ))}
            {rest.length > 0 && (
              <select
                aria-label={`More values of ${visible(key)}`}
                value=""
                onChange={event => toggle({ key, value: event.currentTarget.value })}
              >
                <option value="">{valueCount - shown.length} more …</option>
                {rest.map(({ value }) => (
                  <option key={value} value={value}>
                    {visible(value)}
                  </option>
                ))}
              </select>
            )}
          </div>
        );
      })}
    </details>
  );
}

/** A field for a Go regular expression. Input takes effect after a short pause; errors appear beside it. */
interface RegexpBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (source: string) => void;
  /** Go's error message; '' if the expression is valid. */
  readonly problem: string;
  /** Shown beside the field: `38 functions, 91 %`. */
  readonly found: string;
}

const PAUSE_MS = 150;

function RegexpBox({ label, value, onValue, problem, found }: RegexpBoxProps) {
  const [typed, type] = usePausedField(value, onValue);
  const id = useId();
  return (
    <div class="regexp">
      <input
        type="search"
        class="mono"
        value={typed}
        placeholder={label}
        aria-label={`${label} (Go regular expression)`}
        aria-invalid={problem !== ''}
        aria-describedby={id}
        autocomplete="off"
        spellcheck={false}
        onInput={event => type(event.currentTarget.value, PAUSE_MS)}
      />
      <span id={id} class={problem === '' ? 'regexp-found muted' : 'regexp-problem'} role="status">
        {problem === '' ? found : problem}
      </span>
    </div>
  );
}
