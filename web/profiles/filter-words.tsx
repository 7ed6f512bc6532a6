/** The filters in pprof's words: a field for each, granularity, unit and what shares refer to. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import {
  activeWords,
  FILTER_WORDS,
  GRANULARITIES,
  NO_FILTERS,
  type Filters,
  type FilterWord,
} from '../reader/filters.ts';
import { usePausedField } from '../state/use-paused-field.ts';
import { unitChoices } from '../widgets/value-text.ts';
import { type ChangeAddress, NEW_TREE, type ViewAddress } from './view-address.ts';

export interface FilterWordsProps {
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
  /** The unit of the sample type: `bytes`. */
  readonly unit: string;
  /** `parsing focus regexp: missing closing )`; '' if all is well. */
  readonly problem: string;
  readonly warnings: readonly string[];
}

const MEANINGS: Readonly<Record<FilterWord, string>> = {
  focus: 'only stacks with a match',
  ignore: 'no stacks with a match',
  hide: 'matching frames left out',
  show: 'only matching frames',
  show_from: 'without the callers above a match',
  tagfocus: 'only samples with this label: KEY=REGEXP or a range',
  tagignore: 'no samples with this label',
};

export function FilterWords({ address, change, unit, problem, warnings }: FilterWordsProps) {
  const { filters } = address;
  const active = activeWords(filters);
  const isChanged = active.length > 0 || filters.granularity !== '' || filters.relative || address.unit !== '';
  // Fields take effect after a pause: by then another one may have changed.
  const latest = useRef(filters);
  latest.current = filters;
  const set = (changes: Partial<Filters>): void => change({ filters: { ...latest.current, ...changes }, ...NEW_TREE });
  const [isOpen, setIsOpen] = useState(isChanged);
  // A filter set from a menu shows where it is.
  useEffect(() => {
    if (active.length > 0) setIsOpen(true);
  }, [active.length > 0]);
  const units = unitChoices(unit);
  const [, wrongWord = '', wrong = ''] = /^parsing (\w+) regexp: (.*)$/s.exec(problem) ?? [];
  return (
    <details class="filter-words" open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>
        Filters <span class="muted mono">{active.map(word => `${word}=${visible(filters[word])}`).join(' ')}</span>
      </summary>
      <div class="filter-words-grid">
        {FILTER_WORDS.map(word => (
          <WordField
            key={word}
            word={word}
            value={filters[word]}
            problem={word === wrongWord ? wrong : ''}
            onValue={value => set({ [word]: value })}
          />
        ))}
        <GranularityField value={filters.granularity} onValue={granularity => set({ granularity })} />
        {units.length > 0 && (
          <label class="filter-word">
            <span class="mono">unit</span>
            <select value={address.unit} onChange={event => change({ unit: event.currentTarget.value })}>
              <option value="">as fits</option>
              {units.map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label class="filters-only">
          <input
            type="checkbox"
            checked={filters.relative}
            onChange={event => set({ relative: event.currentTarget.checked })}
          />
          shares of what is left
        </label>
        {isChanged && (
          <button type="button" onClick={() => change({ filters: NO_FILTERS, unit: '', ...NEW_TREE })}>
            Clear filters
          </button>
        )}
      </div>
      {warnings.length > 0 && (
        <p class="muted" role="status">
          {warnings.map(visible).join('; ')}
        </p>
      )}
      {problem !== '' && wrongWord === '' && (
        <p role="alert" class="regexp-problem">
          {visible(problem)}
        </p>
      )}
    </details>
  );
}

interface GranularityFieldProps {
  readonly value: Filters['granularity'];
  readonly onValue: (value: Filters['granularity']) => void;
}

function GranularityField({ value, onValue }: GranularityFieldProps) {
  return (
    <label class="filter-word">
      <span class="mono">granularity</span>
      <select
        value={value === '' ? 'functions' : value}
        onChange={event => {
          const chosen = GRANULARITIES.find(name => name === event.currentTarget.value) ?? '';
          onValue(chosen === 'functions' ? '' : chosen);
        }}
      >
        {GRANULARITIES.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface WordFieldProps {
  readonly word: FilterWord;
  readonly value: string;
  readonly problem: string;
  readonly onValue: (value: string) => void;
}

const PAUSE_MS = 300;

function WordField({ word, value, problem, onValue }: WordFieldProps) {
  const [typed, type] = usePausedField(value, onValue);
  const [fieldId, problemId] = [useId(), useId()];
  return (
    <div class="filter-word">
      <label class="mono" for={fieldId}>
        {word}
      </label>
      <input
        id={fieldId}
        type="search"
        class="mono"
        value={typed}
        placeholder={MEANINGS[word]}
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : problemId}
        autocomplete="off"
        spellcheck={false}
        onInput={event => type(event.currentTarget.value, PAUSE_MS)}
        onChange={event => event.currentTarget.value !== value && type(event.currentTarget.value, 0)}
      />
      {problem !== '' && (
        <span id={problemId} class="regexp-problem" role="status">
          {visible(problem)}
        </span>
      )}
    </div>
  );
}
