/** `oakum bundle`: evidence as one archive that may be shared; `oakum bundle verify` checks one. */
import { open, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestsFor } from '../../adapters/archive/digests.ts';
import { tarGzArchive, DEFAULT_ARCHIVE_LIMITS } from '../../adapters/archive/tar-gz.ts';
import { filePile } from '../../adapters/files/pile.ts';
import { BUNDLED_LEAKS } from '../../catalogue/bundled.ts';
import { buildBundle, type BundlePorts } from '../../engine/bundle/build-bundle.ts';
import { verifyBundle } from '../../engine/bundle/verify-bundle.ts';
import { bundleMadeText, bundleSoundText } from '../../report/bundle-text.ts';
import { visible } from '../../base/visible-text.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-version.ts';
import { readKeyFile } from '../connect/read-key-file.ts';
import { readLimits } from '../connect/read-source.ts';
import { type Given, runRequest } from '../options/usage.ts';
import { writeWhole } from '../connect/write-whole.ts';

const USAGE = `Usage: oakum bundle PATH... -o FILE.tar.gz [options]
       oakum bundle verify FILE.tar.gz

  oakum bundle ./worker-17/ -o worker-17.tar.gz
  oakum bundle ./worker-17/ -o out.tar.gz --redact-modules 'git.corp.example/*'
  oakum bundle verify out.tar.gz

Puts evidence into an archive that may be shared: names of nodes, pods, namespaces, hosts and users, label values,
addresses, paths and the arguments of calls are replaced or removed; functions, versions and numbers stay. Equal names
stay equal inside one bundle, and profiles still open in go tool pprof. The archive is searched for every name that was
replaced, and not written if one is left. oakum analyze reads it and finds the same.

  -o, --output FILE          where to write
      --key-file FILE        key of the hashes, 16 bytes or more: the same key and input give the same bytes
                             (otherwise each bundle has a random key, which is not kept)
      --redact-modules GLOB  also hide these Go modules, as in GOPRIVATE (may be repeated)
      --no-redact            put everything in as it is
      --include-unknown      with --no-redact: also files of unknown kinds
`;

interface Request {
  readonly verify: boolean;
  readonly paths: readonly string[];
  readonly output: string;
  readonly keyFile: string | undefined;
  readonly modules: readonly string[];
  readonly redact: boolean;
  readonly includeUnknown: boolean;
}

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  'key-file': { type: 'string' },
  'redact-modules': { type: 'string', multiple: true },
  'no-redact': { type: 'boolean', default: false },
  'include-unknown': { type: 'boolean', default: false },
} as const;

export async function runBundle(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'bundle', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => bundle(request, io), programName);
}

async function bundle(request: Request, io: Io): Promise<number> {
  try {
    const key = request.keyFile === undefined ? undefined : await readKeyFile(request.keyFile, io.cwd);
    const archive = tarGzArchive({ ...DEFAULT_ARCHIVE_LIMITS, maxBytes: readLimits(io).maxBytes });
    const ports: BundlePorts = { archive, digests: digestsFor(key) };
    return request.verify ? await verify(request.paths[0], ports, io) : await make(request, ports, io);
  } catch (error) {
    return reportFailure(error, io, request.verify ? request.paths[0] : undefined);
  }
}

async function make(request: Request, ports: BundlePorts, io: Io): Promise<number> {
  const roots = request.paths.map(path => resolve(io.cwd, path));
  for (const root of roots) await stat(root);
  const output = resolve(io.cwd, request.output);
  if ((await stat(output).catch(() => undefined))?.isDirectory() === true)
    return fail(io, EXIT.usage, `-o ${visible(request.output)} is a folder: give the name of a file in it`);
  const source = filePile({ limits: readLimits(io) });
  if (!request.redact)
    io.stderr.write('oakum: NOT REDACTED: the bundle will hold names, labels and paths as they are\n');
  const result = await buildBundle(
    {
      items: () => source.read(roots),
      roots,
      output,
      redact: request.redact,
      includeUnknown: request.includeUnknown,
      privateModules: request.modules,
      catalogue: BUNDLED_LEAKS,
      oakumVersion: packageVersion(),
    },
    ports,
  );
  if (result.kind === 'refused') return fail(io, EXIT.actionFailed, visible(result.problem));
  for (const { path, reason } of result.leftOut) io.stderr.write(visible(`oakum: left out ${path}: ${reason}`) + '\n');
  if (result.kind === 'empty') return fail(io, EXIT.couldNotObserve, 'nothing there can go into a bundle');
  await writeWhole(request.output, result.bytes, io.cwd);
  io.stdout.write(bundleMadeText(request.output, result.bytes.length, result.manifest));
  return EXIT.done;
}

async function verify(path: string, ports: BundlePorts, io: Io): Promise<number> {
  const bytes = await readBounded(resolve(io.cwd, path), readLimits(io).maxBytes);
  if (bytes === undefined) return fail(io, EXIT.couldNotObserve, `${path}: larger than OAKUM_MAX_BYTES allows`);
  const { manifest, problems } = await verifyBundle(bytes, ports);
  for (const problem of problems) io.stderr.write(visible(`oakum: ${path}: ${problem}`) + '\n');
  if (manifest === undefined || problems.length > 0) return EXIT.actionFailed;
  io.stdout.write(bundleSoundText(path, manifest));
  return EXIT.done;
}

async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path);
  try {
    return (await file.stat()).size > maxBytes ? undefined : await readFile(file);
  } finally {
    await file.close();
  }
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  const verifies = positionals[0] === 'verify' && values.output === undefined;
  const paths = verifies ? positionals.slice(1) : positionals;
  if (paths.length === 0) return verifies ? 'bundle verify needs a FILE' : 'bundle needs a folder or files';
  if (verifies && paths.length > 1) return 'bundle verify takes one FILE';
  if (!verifies && values.output === undefined) return 'bundle needs -o FILE.tar.gz';
  const redact = !values['no-redact'];
  if (redact && values['include-unknown']) {
    return '--include-unknown needs --no-redact: what a file of an unknown kind holds cannot be redacted';
  }
  if (!redact && values['redact-modules'] !== undefined) return '--redact-modules contradicts --no-redact';
  return {
    verify: verifies,
    paths,
    output: values.output ?? '',
    keyFile: values['key-file'],
    modules: values['redact-modules'] ?? [],
    redact,
    includeUnknown: values['include-unknown'],
  };
}
