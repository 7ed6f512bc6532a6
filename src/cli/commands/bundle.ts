/** `oakum bundle`: packs evidence into an archive that is safe to share; `oakum bundle verify` checks one. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestsFor } from '../../evidence/io/digests.ts';
import { tarGzArchive, DEFAULT_ARCHIVE_LIMITS } from '../../evidence/io/tar-gz.ts';
import { filePile } from '../../evidence/io/pile.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { buildBundle } from '../../report/build-bundle.ts';
import { verifyBundle } from '../../report/verify-bundle.ts';
import { bundleMadeText, bundleSoundText } from '../../report/bundle-text.ts';
import { visible } from '../../base/visible-text.ts';
import { type Io, fail, reportFailure } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { readLimits, readKeyFile } from '../connect/read-source.ts';
import { OWNER_ONLY, writeFileAtomically } from '../connect/write-file-atomically.ts';
import type { BundlePorts } from '../../evidence/bundle.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { file, flag } from '../options/kinds.ts';
import { KEY_FILE, REDACT_MODULES } from '../options/shared.ts';
import { someOf } from '../options/option.ts';

const line = commandLine({
  name: 'bundle',
  usage: ['PATH... -o FILE.tar.gz [options]', 'verify FILE.tar.gz [--key-file FILE]'],
  examples: [
    ['oakum bundle ./worker-17/ -o worker-17.tar.gz'],
    ["oakum bundle ./worker-17/ -o out.tar.gz --redact-modules 'git.corp.example/*'"],
    ['oakum bundle verify out.tar.gz'],
  ],
  about:
    'Packs evidence into an archive that is safe to share. Names of nodes, pods, namespaces, hosts and users, label values, addresses, paths and call arguments are replaced or removed; functions, versions and numbers stay. Equal names stay equal inside one bundle, and profiles still open in go tool pprof. Before it is written, the archive is searched for every name that was replaced; if one is left, nothing is written. oakum analyze reads a bundle and finds the same as in the originals.',
  operands: { subcommands: ['verify'], completes: 'files' },
  options: {
    output: file({ short: 'o', help: 'where to write' }),
    keyFile: KEY_FILE,
    redactModules: REDACT_MODULES,
    noRedact: flag({ excludes: ['redactModules'], help: 'pack everything as it is' }),
    includeUnknown: flag({ needs: ['noRedact'], help: 'also pack files of unknown kinds, which cannot be redacted' }),
  },
  request: ({ output, keyFile, redactModules, noRedact, includeUnknown }, operands) => {
    const [first, path, ...more] = operands;
    if (first === 'verify' && output === undefined) {
      if (path === undefined || more.length > 0) throw new Failure('usage', 'bundle verify takes one FILE');
      return { verify: path, keyFile };
    }
    const paths = someOf(operands, 'bundle needs a folder or files');
    if (output === undefined) throw new Failure('usage', 'bundle needs -o FILE.tar.gz');
    return { paths, output, keyFile, privateModules: redactModules, redact: !noRedact, includeUnknown };
  },
});

export const command: Command = defineCommand(line, (request, io) =>
  request.verify === undefined ? makeBundle(request, io) : verifyBundleFile(request, io),
);

type Request = RequestOf<typeof line>;
type VerifyRequest = Extract<Request, { readonly verify: string }>;
type BundleRequest = Exclude<Request, VerifyRequest>;

async function makeBundle(request: BundleRequest, io: Io): Promise<number> {
  const ports = await portsFor(request.keyFile, io);
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
      privateModules: request.privateModules,
      catalogue: BUNDLED_LEAKS,
      oakumVersion: packageVersion(),
    },
    ports,
  );
  if (result.kind === 'refused') return fail(io, EXIT.actionFailed, visible(result.problem));
  for (const { path, reason } of result.leftOut) io.stderr.write(visible(`oakum: left out ${path}: ${reason}`) + '\n');
  if (result.kind === 'empty') return fail(io, EXIT.couldNotObserve, 'nothing there can go into a bundle');
  await writeFileAtomically(request.output, result.bytes, io.cwd, request.redact ? undefined : OWNER_ONLY);
  io.stdout.write(bundleMadeText(request.output, result.bytes.length, result.manifest));
  return EXIT.done;
}

async function verifyBundleFile({ verify: path, keyFile }: VerifyRequest, io: Io): Promise<number> {
  const ports = await portsFor(keyFile, io);
  try {
    const bytes = await readBoundedFile(resolve(io.cwd, path), readLimits(io).maxBytes, path);
    const { manifest, problems } = await verifyBundle(
      bytes,
      { oakumVersion: packageVersion(), catalogue: BUNDLED_LEAKS },
      ports,
    );
    for (const problem of problems) io.stderr.write(visible(`oakum: ${path}: ${problem}`) + '\n');
    if (manifest === undefined || problems.length > 0) return EXIT.actionFailed;
    io.stdout.write(bundleSoundText(path, manifest));
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, io, path);
  }
}

async function portsFor(keyFile: string | undefined, io: Io): Promise<BundlePorts> {
  const key = keyFile === undefined ? undefined : await readKeyFile(keyFile, io.cwd);
  const archive = tarGzArchive({ ...DEFAULT_ARCHIVE_LIMITS, maxBytes: readLimits(io).maxBytes });
  return { archive, digests: digestsFor(key) };
}
