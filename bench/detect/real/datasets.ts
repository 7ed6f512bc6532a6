/** Real time series beside the repository: machine memory from Alibaba, server metrics from NAB. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SHARED } from '../../places.ts';

export interface Carrier {
  readonly dataset: string;
  readonly name: string;
  /** From the first sample. */
  readonly hours: Float64Array;
  readonly bytes: Float64Array;
}

const DATASETS = join(SHARED, 'datasets');
/** 100 % of a machine's memory, as the memory of one process. */
const MACHINE_BYTES = 1e9;
/** NAB's series have various units: their median is scaled to this. */
const MEDIAN_BYTES = 1e8;
const MIN_BYTES = 1e6;

export function haveDatasets(): boolean {
  return existsSync(DATASETS);
}

export function readCarriers(): readonly Carrier[] {
  return [...readAlibaba(), ...readNab('real'), ...readNab('artificial')];
}

/** t_seconds,mem_util_percent,split */
function readAlibaba(): Carrier[] {
  const folder = join(DATASETS, 'alibaba-mem-util');
  return filesOf(folder, '.csv.gz').map(file => {
    const rows = rowsOf(gunzipSync(readFileSync(join(folder, file))).toString());
    return {
      dataset: 'alibaba',
      name: file.replace('.csv.gz', ''),
      hours: Float64Array.from(rows, ([seconds]) => Number(seconds) / 3600),
      bytes: Float64Array.from(rows, ([, percent]) => (Number(percent) / 100) * MACHINE_BYTES),
    };
  });
}

/** timestamp,value */
function readNab(kind: 'real' | 'artificial'): Carrier[] {
  const data = join(DATASETS, 'nab-subset', 'data');
  const folders = existsSync(data) ? readdirSync(data).filter(name => name.startsWith(kind)) : [];
  return folders.flatMap(folder =>
    filesOf(join(data, folder), '.csv').map(file => {
      // Some repeat an hour, because a clock was set back; timestamps sort as text.
      const rows = rowsOf(readFileSync(join(data, folder, file), 'utf8')).sort(([a], [b]) =>
        a < b ? -1 : a > b ? 1 : 0,
      );
      const seconds = rows.map(([timestamp]) => Date.parse(`${timestamp.replace(' ', 'T')}Z`) / 1000);
      const values = rows.map(([, value]) => Number(value));
      const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
      const scale = MEDIAN_BYTES / Math.max(Math.abs(median), 1e-9);
      return {
        dataset: `nab ${kind}`,
        name: file.replace('.csv', ''),
        hours: Float64Array.from(seconds, second => (second - seconds[0]) / 3600),
        bytes: Float64Array.from(values, value => Math.max(MIN_BYTES, value * scale)),
      };
    }),
  );
}

function filesOf(folder: string, ending: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith(ending)) : [];
}

function rowsOf(text: string): string[][] {
  const lines = text.trim().split('\n').slice(1);
  return lines.map(line => line.split(','));
}
