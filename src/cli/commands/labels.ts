/** `oakum labels`: goroutines by pprof label, and the tenants that are gone but still have some. */
import { familiesOfDump } from '../../analysis/families/dump-families.ts';
import { familiesOfHeap } from '../../analysis/families/heap-families.ts';
import { countLabels } from '../../analysis/families/label-counts.ts';
import { familiesOfGoroutineProfile } from '../../analysis/families/profile-families.ts';
import type { Reading } from '../../formats/read.ts';
import type { FamilyTable } from '../../model/family.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { type LabelledFile, type LabelsFormat, renderHeapOwners, renderLabels } from '../labels-report.ts';
import { readLiveTenants } from '../connect/read-live-tenants.ts';
import { readSource } from '../connect/read-source.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum labels FILE... [--by KEY,...] [options]

Counts goroutines by the values of their pprof labels. FILEs are goroutine profiles or dumps in any form; of several,
each has a column, and CHANGE is the last less the first. FILE may be - for stdin.

      --by KEY,...      labels to count by (default controller,logicalcluster)
      --orphans         only labels of tenants that no longer exist; needs --live-from
      --live-from FROM  the tenants that exist: a FILE with one name per line or the lines of kubectl -o name, or a
                        command, recognised by its blanks and run by the shell: 'kubectl get workspaces -o name'
      --tenant KEY      the label that names the tenant (default logicalcluster, or the last of --by)
      --top N           rows to show (default 20; 0 for all)
  -o, --output FORMAT   text or json
`;

const DEFAULT_KEYS = 'controller,logicalcluster';
const FORMATS: readonly LabelsFormat[] = ['text', 'json'];

interface Request {
  readonly files: readonly string[];
  readonly keys: readonly string[];
  readonly tenant: string;
  readonly orphans: boolean;
  readonly liveFrom: string;
  readonly top: number;
  readonly format: LabelsFormat;
}

const OPTIONS = {
  by: { type: 'string', default: DEFAULT_KEYS },
  orphans: { type: 'boolean', default: false },
  'live-from': { type: 'string', default: '' },
  tenant: { type: 'string', default: '' },
  top: { type: 'string', default: '20' },
  output: { type: 'string', short: 'o', default: 'text' },
} as const;

export async function runLabels(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'labels', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => labels(request, io), programName);
}

async function labels(request: Request, io: Io): Promise<number> {
  const files: LabelledFile[] = [];
  for (const path of request.files) {
    try {
      const reading = await readSource(path, io);
      for (const note of reading.notes) io.stderr.write(`oakum: ${path}: ${note}\n`);
      const table = tableOf(reading);
      if (table === undefined) {
        return fail(io, EXIT.couldNotObserve, `${path}: neither a goroutine nor a heap profile`);
      }
      files.push({ path, table, counts: countLabels(table, request.keys) });
    } catch (error) {
      return reportFailure(error, io, path);
    }
  }
  if (new Set(files.map(({ table }) => table.kind)).size > 1) {
    return fail(io, EXIT.usage, 'goroutine and heap profiles cannot be counted together');
  }
  if (files[0].table.kind === 'heap') {
    if (request.orphans) {
      return fail(io, EXIT.couldNotObserve, 'Go heap profiles carry no pprof labels: tenants cannot be told from them');
    }
    io.stdout.write(renderHeapOwners(files, request.top, request.format));
    return EXIT.done;
  }

  const live = request.liveFrom === '' ? undefined : await readLiveTenants(request.liveFrom, io);
  if (typeof live === 'string') return fail(io, EXIT.couldNotObserve, live);
  io.stdout.write(renderLabels(files, { ...request, live }, request.format));
  return EXIT.done;
}

function tableOf({ dump, profile }: Reading): FamilyTable | undefined {
  const types = profile.sampleTypes.map(({ type }) => type);
  if (dump !== undefined)
    return dump.sections[0]?.name.startsWith('goroutine') === true ? familiesOfDump(dump) : undefined;
  if (types.includes('inuse_space')) return familiesOfHeap(profile);
  return types.some(type => type.startsWith('goroutine')) ? familiesOfGoroutineProfile(profile) : undefined;
}

/** The request, or what is wrong with the arguments. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length === 0) return 'labels needs a FILE';
  const keys = values.by.split(',').filter(key => key !== '');
  if (keys.length === 0) return '--by needs at least one label';
  if (!/^\d+$/.test(values.top)) return `--top is a number, not ${JSON.stringify(values.top)}`;
  const format = FORMATS.find(known => known === values.output);
  if (format === undefined) return `-o is text or json, not ${JSON.stringify(values.output)}`;
  if (values.orphans && values['live-from'] === '') return '--orphans needs --live-from';
  if (values['live-from'] === '-' && positionals.includes('-')) return 'stdin can only be read once';
  const tenant = values.tenant || (keys.includes('logicalcluster') ? 'logicalcluster' : keys[keys.length - 1]);
  if (!keys.includes(tenant)) return `--tenant ${tenant} is not one of --by`;
  const liveFrom = values['live-from'];
  return { files: positionals, keys, tenant, orphans: values.orphans, liveFrom, top: Number(values.top), format };
}
