/** Sets one string label on every sample, replacing any value under that key. */
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import { Int64ColumnBuilder } from '../../../base/int64.ts';
import type { Profile } from '../../profile.ts';

export function setLabel(profile: Profile, key: string, value: string): Profile {
  const { samples, strings } = profile;
  const { labels } = samples;
  const keyIndex = strings.length;
  const labelStart = new Uint32Array(samples.length + 1);
  const size = labels.length + samples.length;
  const columns = {
    key: new Uint32ColumnBuilder(size),
    str: new Uint32ColumnBuilder(size),
    unit: new Uint32ColumnBuilder(size),
  };
  const num = new Int64ColumnBuilder(size);
  for (let sample = 0; sample < samples.length; sample++) {
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      if (labels.str[row] !== 0 && strings[labels.key[row]] === key) continue;
      columns.key.push(labels.key[row]);
      columns.str.push(labels.str[row]);
      columns.unit.push(labels.unit[row]);
      num.push(labels.num[row]);
    }
    columns.key.push(keyIndex);
    columns.str.push(keyIndex + 1);
    columns.unit.push(0);
    num.push(0);
    labelStart[sample + 1] = columns.key.length;
  }
  return {
    ...profile,
    strings: [...strings, key, value],
    samples: {
      ...samples,
      labelStart,
      labels: {
        length: columns.key.length,
        key: columns.key.finish(),
        str: columns.str.finish(),
        num: num.finish(),
        unit: columns.unit.finish(),
      },
    },
  };
}
