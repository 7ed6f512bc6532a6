/** -tags: every label key, and how much of the profile has each of its values. */
import { compareText } from '../../../base/text.ts';
import { descending } from '../graph/graph.ts';
import { percentage, scaledLabel } from '../measurement.ts';
import { formatValue, type ReportContext } from './report-context.ts';
import { alignRight } from './tab-writer.ts';

export function tagsReport(context: ReportContext): string {
  const { profile, weights, total, config, labelUnits } = context;
  const { samples, strings } = profile;
  const { labels } = samples;
  const keys = new Map<string, { total: bigint; values: Map<string, bigint> }>();
  for (let sample = 0; sample < samples.length; sample++) {
    const value = BigInt(weights.value[sample]);
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      const key = strings[labels.key[row]];
      const text =
        labels.str[row] !== 0
          ? strings[labels.str[row]]
          : scaledLabel(labels.num[row], labelUnits.get(key) ?? '', config.unit);
      let entry = keys.get(key);
      if (entry === undefined) keys.set(key, (entry = { total: 0n, values: new Map() }));
      entry.values.set(text, BigInt.asIntN(64, (entry.values.get(text) ?? 0n) + value));
      entry.total = BigInt.asIntN(64, entry.total + value);
    }
  }

  const print = (value: bigint): string => formatValue(context, value, config.unit);
  const share = (value: bigint): string => (total > 0n ? ` (${percentage(value, total)})` : '');
  const lines: string[] = [];
  for (const [key, entry] of [...keys].sort(([a], [b]) => compareText(a, b))) {
    lines.push(`${key}:\t Total ${print(entry.total)} of ${print(total)}${share(entry.total)}`);
    const sorted = [...entry.values].sort(([a, x], [b, y]) => descending(x, y) || compareText(a, b));
    for (const [text, value] of sorted) lines.push(` \t${print(value)}${share(value)}:\t ${text}`);
    lines.push('');
  }
  return alignRight(lines);
}
