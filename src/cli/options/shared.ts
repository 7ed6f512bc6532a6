/** Options shared by several commands, each defined once. */
import { EXIT, Failure } from '../../base/errors.ts';
import { isAtLeast, type Verdict } from '../../judge/verdict.ts';
import { byteSize, choice, file, flag, folder, texts, wholeNumber, custom, parseByteSize } from './kinds.ts';
import { type Option, type OptionTable, shown } from './option.ts';
import { RESOURCES, type Resource } from '../../evidence/resource.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

export const COLOR: Option<ColorChoice> = choice(['auto', 'always', 'never'])({
  placeholder: 'WHEN',
  default: 'auto',
  help: '',
});

export function outputFormat<const C extends string>(formats: readonly C[]): Option<C> {
  return choice(formats)({ short: 'o', placeholder: 'FORMAT', default: formats[0] ?? '', help: '' });
}

export type Threshold = 'leak' | 'watch';

export const FAIL_ON: Option<Threshold | undefined> = choice(['leak', 'watch'])({
  placeholder: 'VERDICT',
  help: 'exit 1 when the verdict is that or worse',
});

export const CATALOGUE: Option<string | undefined> = folder({
  help: 'known leaks of your own, in addition to the bundled ones',
});

export const OPERATIONS: Option<number | undefined> = wholeNumber(1)({
  help: 'operations between the first snapshot and the last',
});

export const MEMORY_LIMIT: Option<number | undefined> = byteSize({
  help: 'where the process is killed, such as 512Mi, if no metric shows it',
});

export const NO_GC: Option<boolean> = flag({
  help: 'take heap profiles as the last garbage collections left them, which may be minutes ago, and force none',
});

export const KEY_FILE: Option<string | undefined> = file({
  help: 'key for the hashes, 16 bytes or more; the same key and input give the same hashes (default a random key that is not kept)',
});

export const REDACT_MODULES: Option<readonly string[]> = texts({
  placeholder: 'GLOB',
  help: 'also hide these Go modules, with patterns as in GOPRIVATE',
});

/** `--fail-on`: 1 if the verdict is as bad as the threshold or worse. */
export function exitCodeFor(verdict: Verdict, failOn: Threshold | undefined): number {
  return failOn !== undefined && isAtLeast(verdict, failOn) ? EXIT.leakFound : EXIT.done;
}

/** The settings of the detector. */
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
