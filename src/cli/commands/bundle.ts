import { defineCommand, type Command } from '../options/command.ts';
import { file, flag } from '../options/kinds.ts';
import { KEY_FILE, REDACT_MODULES } from '../options/shared.ts';
import type { BundleRequest, VerifyRequest } from '../tasks/bundle.ts';
import { someOf } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'bundle',
  summary: 'pack evidence into one redacted archive that is safe to share; check one',
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
  request: ({ output, keyFile, redactModules, noRedact, includeUnknown }, operands): BundleRequest | VerifyRequest => {
    const [first, path, ...more] = operands;
    if (first === 'verify' && output === undefined) {
      if (path === undefined || more.length > 0) throw new Failure('usage', 'bundle verify takes one FILE');
      return { verify: path, keyFile };
    }
    const paths = someOf(operands, 'bundle needs a folder or files');
    if (output === undefined) throw new Failure('usage', 'bundle needs -o FILE.tar.gz');
    return { paths, output, keyFile, privateModules: redactModules, redact: !noRedact, includeUnknown };
  },
  run: async (request, io) => {
    const { makeBundle, verifyBundleFile } = await import('../tasks/bundle.ts');
    return 'verify' in request ? verifyBundleFile(request, io) : makeBundle(request, io);
  },
});
