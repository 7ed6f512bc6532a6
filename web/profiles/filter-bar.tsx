/** What of a profile is looked at: the sample type, a search, labels. */
import { formatCount } from '../../src/base/quantities.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { ValueType } from '../../src/model/profile.ts';
import type { FlameTree } from '../call-tree/call-tree.ts';
import { functionTotals } from '../call-tree/function-totals.ts';
import { WHOLE } from '../flame/view-window.ts';
import { LabelChips } from './label-chips.tsx';
import { RegexpBox } from '../widgets/regexp-box.tsx';
import type { View } from '../reader/messages.ts';
import { matchedTotal, type ChangeAddress, type Search } from './use-view.ts';
import { shareText } from '../text/value-text.ts';
import type { ViewAddress } from './view-address.ts';

export interface FilterBarProps {
  readonly sampleTypes: readonly ValueType[];
  readonly sampleType: string;
  readonly unit: string;
  readonly view: View | undefined;
  readonly search: Search;
  /** What is wrong with the expression that only matching stacks are shown of. */
  readonly problem: string;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
}

/** Another tree: a place in the old one means nothing in it. */
const ANEW = { window: WHOLE, node: -1 } as const;

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
                onClick={() => change({ sampleType: type, ...ANEW })}
              >
                {visible(type)}
              </button>
            ))}
          </div>
        )}
        <RegexpBox
          label="Find functions"
          value={address.search}
          onValue={text => change({ search: text, ...(address.only ? ANEW : {}) })}
          problem={search.problem || props.problem}
          found={view === undefined ? '' : foundText(view.tree, search.matched)}
        />
        <label class="filters-only">
          <input
            type="checkbox"
            checked={address.only}
            onChange={event => change({ only: event.currentTarget.checked, ...ANEW })}
          />
          only these stacks
        </label>
      </div>
      <LabelChips
        labels={view?.labels ?? []}
        unit={props.unit}
        chosen={address.labels}
        roots={address.roots}
        onChosen={labels => change({ labels, ...ANEW })}
        onRoots={roots => change({ roots, ...ANEW })}
      />
    </div>
  );
}

function foundText(tree: FlameTree, matched: Uint8Array | undefined): string {
  if (matched === undefined) return '';
  // Of the functions that show: a profile also names those of samples that have no value of this type.
  const functions = functionTotals(tree).filter(({ frame }) => matched[frame] === 1).length;
  const share = shareText(matchedTotal(tree, matched), tree.total[0]);
  return `${formatCount(functions)} ${functions === 1 ? 'function' : 'functions'}, ${share || '0 %'}`;
}
