/** The settings of the detector, the same for every command that uses it. */
import { RESOURCES, type Resource } from '../../evidence/resource.ts';
import { custom } from './kinds.ts';
import { parseByteSize } from './option-values.ts';
import { type Option, type OptionTable, shown } from './option.ts';
import { MEMORY_LIMIT } from './shared.ts';
import { Failure } from '../../base/errors.ts';

export type LeastGrowth = Readonly<Partial<Record<Resource, number>>>;

export interface DetectorValues {
  readonly memoryLimit: number | undefined;
  readonly leastGrowth: LeastGrowth;
  readonly timeScale: number;
}

const NAMES = RESOURCES.map(({ resource }) => resource);

const MIN_GROWTH: Option<LeastGrowth> = {
  placeholder: 'R=N',
  help: "growth of a resource that matters, such as goroutines=50 or 'live heap=2Mi' (default 6 MiB or 5 %)",
  repeats: true,
  read: (texts, flag) =>
    Object.fromEntries(
      texts.map(text => {
        const [name = '', amount = ''] = text.split('=');
        const resource = NAMES.find(known => known === name);
        if (resource === undefined)
          throw new Failure('usage', `${flag} has no resource ${shown(name)}; the resources are ${NAMES.join(', ')}`);
        const value = parseByteSize(amount);
        if (value === undefined)
          throw new Failure('usage', `${flag} takes RESOURCE=AMOUNT such as 'live heap=2Mi', not ${shown(text)}`);
        return [resource, value];
      }),
    ),
};

export const DETECTOR_OPTIONS: OptionTable<DetectorValues> = {
  memoryLimit: MEMORY_LIMIT,
  leastGrowth: MIN_GROWTH,
  timeScale: custom('N', 'a number above 0', text => {
    const value = text.trim() === '' ? NaN : Number(text);
    return value > 0 && Number.isFinite(value) ? value : undefined;
  })({ default: '1', help: 'for accelerated recordings and labs: treat 1 hour as N hours' }),
};
