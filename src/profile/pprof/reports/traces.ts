/** -traces: every sample with its labels and its stack. */
import { compareText } from '../../../base/text.ts';
import { buildNodes, printableName } from '../node-table.ts';
import { numericLabels, stringLabels } from '../transform/sample-labels.ts';
import { label } from '../measurement.ts';
import { formatValue, type ReportContext } from './report-context.ts';
import { profileLabels } from './report-header.ts';

const SEPARATOR = '-----------+-------------------------------------------------------';

/** How much text to gather before passing it on: a report of all samples can be longer than a string can be. */
const CHUNK_LINES = 8192;

export function* tracesReport(context: ReportContext): Generator<string> {
  const { profile, weights, config } = context;
  const { samples } = profile;
  const nodes = buildNodes(profile, { objectNames: false });
  const names = nodes.infos.map(printableName);
  let lines = [profileLabels(context, config.unit).join('\n')];
  for (let sample = 0; sample < samples.length; sample++) {
    if (samples.stackStart[sample] === samples.stackStart[sample + 1]) continue;
    if (lines.length >= CHUNK_LINES) {
      yield lines.join('\n') + '\n';
      lines = [];
    }
    lines.push(SEPARATOR);
    for (const line of labelLines(context, sample)) lines.push(line);
    let value = BigInt(weights.value[sample]);
    const divisor = BigInt(weights.divisor?.[sample] ?? 0);
    if (divisor !== 0n) value /= divisor;
    let column = formatValue(context, value, config.unit);
    for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
      const location = samples.stackLocations[i];
      const last = nodes.locationStart[location + 1] - 1;
      for (let k = nodes.locationStart[location]; k <= last; k++) {
        lines.push(`${column.padStart(10)}   ${names[nodes.locationNodes[k]]}${k < last ? ' (inline)' : ''}`);
        column = '';
      }
    }
  }
  lines.push(SEPARATOR);
  yield lines.join('\n') + '\n';
}

function labelLines({ profile, labelUnits }: ReportContext, sample: number): string[] {
  const line = (key: string, values: readonly string[]): string => `${padStart(key, 10)}:  ${values.join(' ')}`;
  const strings = [...stringLabels(profile, sample)].map(([key, values]) => line(key, values));
  const numbers = [...numericLabels(profile, sample)].map(([key, { values }]) =>
    line(
      key,
      values.map(value => label(value, labelUnits.get(key) ?? '')),
    ),
  );
  return [...strings.sort(compareText), ...numbers.sort(compareText)];
}

/** Pads by code points, as Go's %10s does. */
function padStart(text: string, width: number): string {
  const length = [...text].length;
  return length >= width ? text : ' '.repeat(width - length) + text;
}
