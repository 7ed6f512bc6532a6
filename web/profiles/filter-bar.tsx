/** The filters of a profile's page: sample type, search, labels. */
import { formatCount } from '../../src/base/quantities.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { ValueType } from '../../src/model/profile.ts';
import type { CallTree } from '../call-tree/call-tree.ts';
import { functionTotals, matchedTotal } from '../call-tree/function-totals.ts';
import { LabelChips } from './label-chips.tsx';
import { RegexpBox } from '../widgets/regexp-box.tsx';
import type { ProfileView } from '../reader/messages.ts';
import type { Search } from './use-profile-view.ts';
import type { ChangeAddress } from './use-view-address.ts';
import { shareText } from '../text/value-text.ts';
import { NEW_TREE, type ViewAddress } from './view-address.ts';

export interface FilterBarProps {
  readonly sampleTypes: readonly ValueType[];
  readonly sampleType: string;
  readonly unit: string;
  readonly view: ProfileView | undefined;
  readonly search: Search;
  /** What is wrong with the search while only matching stacks are shown. */
  readonly problem: string;
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
          onValue={text => change({ search: text, ...(address.only ? NEW_TREE : {}) })}
          problem={search.problem || props.problem}
          found={view === undefined ? '' : foundText(view.tree, search.matched)}
        />
        <label class="filters-only">
          <input
            type="checkbox"
            checked={address.only}
            onChange={event => change({ only: event.currentTarget.checked, ...NEW_TREE })}
          />
          only matching stacks
        </label>
      </div>
      <LabelChips
        labels={view?.labels ?? []}
        unit={props.unit}
        chosen={address.labels}
        roots={address.roots}
        onChosen={labels => change({ labels, ...NEW_TREE })}
        onRoots={roots => change({ roots, ...NEW_TREE })}
      />
    </div>
  );
}

function foundText(tree: CallTree, matched: Uint8Array | undefined): string {
  if (matched === undefined) return '';
  // Only functions in the tree: a profile also names those of samples without a value of this type.
  const functions = functionTotals(tree).filter(({ frame }) => matched[frame] === 1).length;
  const share = shareText(matchedTotal(tree, matched), tree.total[0] ?? 0);
  return `${formatCount(functions)} ${functions === 1 ? 'function' : 'functions'}, ${share || '0 %'}`;
}
