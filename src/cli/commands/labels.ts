/** `oakum labels`: goroutines by pprof label, and tenants that no longer exist but still have some. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { familiesOfDump } from '../../profile/families/dump-families.ts';
import { familiesOfHeap } from '../../profile/families/heap-families.ts';
import { type FileTable, heapOwnerReport, labelReport, liveTenants } from '../../profile/families/label-report.ts';
import { familiesOfGoroutineProfile } from '../../profile/families/profile-families.ts';
import type { Reading } from '../../evidence/formats/read.ts';
import { ownerOf } from '../../knowledge/owner-of.ts';
import type { FamilyTable } from '../../profile/families/family.ts';
import { renderHeapOwners, renderLabels } from '../../report/labels-text.ts';
import { readSource } from '../connect/read-source.ts';
import { type Io, reportFailure } from '../io.ts';
import { gatherBounded } from '../../evidence/io/read-profile.ts';
import { decodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { renderJson } from '../../report/json.ts';
import { EXIT, Failure, isSystemError, systemReason } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { file, flag, list, text, wholeNumber } from '../options/kinds.ts';
import { outputFormat } from '../options/shared.ts';
import { someOf } from '../options/option.ts';

const TENANT = 'logicalcluster';

const line = commandLine({
  name: 'labels',
  usage: ['FILE... [--by KEY,...] [options]'],
  examples: [
    ['oakum labels goroutines.pb.gz'],
    ['oakum labels before.txt after.txt --by controller', 'what changed'],
    ["oakum labels dump.txt --orphans --live-from 'kubectl get workspaces -o name'"],
  ],
  about:
    'Counts goroutines by the values of their pprof labels. A FILE is a goroutine profile or dump in any form, or - for stdin. With several files, each has a column, and CHANGE is the last minus the first.',
  operands: { completes: 'files' },
  options: {
    by: list()({ placeholder: 'KEY,...', default: `controller,${TENANT}`, help: 'labels to count by' }),
    orphans: flag({ needs: ['liveFrom'], help: 'only labels of tenants that no longer exist' }),
    liveFrom: file({
      placeholder: 'FROM',
      default: '',
      help: "the tenants that exist: a file with one name per line or the lines of kubectl -o name; or, if it has spaces, a shell command such as 'kubectl get workspaces -o name'",
    }),
    tenant: text({
      placeholder: 'KEY',
      default: '',
      defaultNote: `${TENANT}, else the last of --by`,
      help: 'the label that names the tenant',
    }),
    top: wholeNumber(0)({ default: '20', help: 'rows to show; 0 for all' }),
    output: outputFormat(['text', 'json']),
  },
  request: ({ by: keys, tenant: named, ...values }, operands) => {
    const files = someOf(operands, 'labels needs a FILE');
    const tenant = named || (keys.includes(TENANT) ? TENANT : keys.at(-1));
    if (tenant === undefined) throw new Failure('usage', '--by needs at least one label');
    if (!keys.includes(tenant)) throw new Failure('usage', `--tenant ${tenant} is not one of --by`);
    if (values.liveFrom === '-' && files.includes('-')) throw new Failure('usage', 'stdin can only be read once');
    return { ...values, files, keys, tenant };
  },
});

export const command: Command = defineCommand(line, labels);

type Request = RequestOf<typeof line>;

const COMMAND_TIMEOUT_MS = 60_000;

const MAX_BYTES = 64 * 2 ** 20;

async function labels(request: Request, io: Io): Promise<number> {
  const files: FileTable[] = [];
  for (const path of request.files) {
    try {
      files.push({ path, table: await readTable(path, io) });
    } catch (error) {
      return reportFailure(error, io, path);
    }
  }
  const kinds = new Set(files.map(({ table }) => table.kind));
  if (kinds.size > 1) throw new Failure('usage', 'goroutine and heap profiles cannot be counted together');
  io.stdout.write(kinds.has('heap') ? heapText(files, request) : await labelText(files, request, io));
  return EXIT.done;
}

async function labelText(files: readonly FileTable[], request: Request, io: Io): Promise<string> {
  const live = request.liveFrom === '' ? undefined : await readLiveTenants(request.liveFrom, io);
  const { report, gone } = labelReport(files, { ...request, live });
  return request.output === 'json' ? renderJson(report) : renderLabels(report, gone);
}

function heapText(files: readonly FileTable[], request: Request): string {
  if (request.orphans)
    throw new Failure('no-evidence', 'Go heap profiles carry no pprof labels, so they do not show tenants');
  const report = heapOwnerReport(files, family => ownerOf(family).name, request.top);
  return request.output === 'json' ? renderJson(report) : renderHeapOwners(report);
}

async function readTable(path: string, io: Io): Promise<FamilyTable> {
  const reading = await readSource(path, io);
  for (const note of reading.notes) io.stderr.write(`oakum: ${path}: ${note}\n`);
  const table = tableOf(reading);
  if (table === undefined) throw new Failure('unreadable', 'neither a goroutine nor a heap profile');
  return table;
}

function tableOf({ dump, profile }: Reading): FamilyTable | undefined {
  const types = profile.sampleTypes.map(({ type }) => type);
  if (dump !== undefined)
    return dump.sections[0]?.name.startsWith('goroutine') === true ? familiesOfDump(dump) : undefined;
  if (types.includes('inuse_space')) return familiesOfHeap(profile);
  return types.some(type => type.startsWith('goroutine')) ? familiesOfGoroutineProfile(profile) : undefined;
}

/** `--live-from`: the tenants that exist, from a file, stdin or a shell command. Throws if there are none. */
async function readLiveTenants(from: string, io: Io): Promise<ReadonlySet<string>> {
  const names = liveTenants(await readNames(from, io));
  // With no live tenants, everything would be an orphan; a wrong context is far more likely.
  if (names.size === 0) throw new Failure('no-evidence', `--live-from ${from}: names no tenant`);
  return names;
}

async function readNames(from: string, io: Io): Promise<string> {
  if (from === '-') return decodeText(await gatherBounded(io.stdin, { maxBytes: MAX_BYTES }));
  try {
    return decodeText(await readBoundedFile(resolve(io.cwd, from), MAX_BYTES, `--live-from ${from}`));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (!/\s/.test(from)) throw new Failure('not-found', `--live-from ${from}: ${systemReason(error)}`);
  }
  io.stderr.write(`oakum: running ${from}\n`);
  return runShell(from, io);
}

function runShell(command: string, io: Io): Promise<string> {
  const options = { cwd: io.cwd, env: { ...io.env }, timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_BYTES };
  return new Promise((done, fail) => {
    execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      const last = stderr.trim().split('\n').at(-1) || error.message;
      fail(new Failure('no-answer', `--live-from: ${command}: ${visible(last)}`));
    });
  });
}
