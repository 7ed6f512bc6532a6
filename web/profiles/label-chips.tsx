/** The labels of a profile as chips: a value is a filter, a key becomes the root of every stack. */
import { visible } from '../../src/base/visible-text.ts';
import type { LabelPair, LabelSummary } from '../reader/sample-labels.ts';
import { valueText } from '../text/value-text.ts';
import { samePair, toggled } from './label-choice.ts';

export interface LabelChipsProps {
  readonly labels: readonly LabelSummary[];
  readonly unit: string;
  readonly chosen: readonly LabelPair[];
  readonly roots: readonly string[];
  readonly onChosen: (chosen: readonly LabelPair[]) => void;
  readonly onRoots: (roots: readonly string[]) => void;
}

/** Further values are in a list. */
const MAX_CHIPS = 5;

export function LabelChips({ labels, unit, chosen, roots, onChosen, onRoots }: LabelChipsProps) {
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
