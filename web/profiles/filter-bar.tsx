/** The filters of a profile's page: sample type, search, labels. */
import { formatCount } from '../../src/base/quantities.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { ValueType } from '../../src/profile/profile.ts';
import type { CallTree } from '../call-tree/call-tree.ts';
import { functionTotals, matchedTotal } from '../call-tree/function-totals.ts';
import { CommandBox } from './command-box.tsx';
import { FilterWords } from './filter-words.tsx';
import { LabelChips } from './label-chips.tsx';
import { RegexpBox } from '../widgets/regexp-box.tsx';
import type { ProfileView } from '../reader/messages.ts';
import type { Search } from './use-profile-view.ts';
import type { ChangeAddress } from './use-view-address.ts';
import { shareText, unitAs } from '../text/value-text.ts';
import { NEW_TREE, type ViewAddress } from './view-address.ts';

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
