/**
 * `oakum pprof` takes the flags and prints the output of `go tool pprof`. The flags have Go's syntax, so it has its own parser and help. The table of its
 * flags is `src/profile/pprof/flags.ts`.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { sourceTextReader } from '../../evidence/io/source-text.ts';
import { saveFetchedProfile } from '../../evidence/io/save-profile.ts';
import { concatBytes, encodeText } from '../../base/text.ts';
import { fetchProfiles, savedProfilePrefix, symbolizationOff } from '../../live/fetch-profiles.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import type { TextSymbols } from '../../evidence/formats/read.ts';
import type { Profile } from '../../profile/profile.ts';
import {
  FlagError,
  FLAGS,
  HelpRequest,
  parsePprofFlags,
  type PprofCommand,
  UNSUPPORTED_REPORTS,
} from '../../profile/pprof/flags.ts';
import { generateReport, type Report, usesLabels, usesRegexp } from '../../profile/pprof/generate.ts';
import { readLimits } from '../connect/read-source.ts';
import { visibleLines } from '../../base/visible-text.ts';
import { type Io, isDebug, stopSignal } from '../io.ts';
import { pprofSource } from '../connect/pprof-source.ts';
import { withProgramName } from '../options/help-text.ts';
import { writeFileAtomically } from '../connect/write-file-atomically.ts';
import { EXIT, expectedFailure, Failure } from '../../base/errors.ts';
import type { CompileRegexp } from '../../profile/pprof/go-regexp.ts';
import { pathTrimmer } from '../../profile/pprof/sample-index.ts';
import { nearest, type Completes } from '../options/option.ts';
import type { Command, TypedFlag } from '../options/command.ts';

export const command: Command = {
  name: 'pprof',
  get flags() {
    return typedFlags();
  },
  operands: { completes: 'files' },
  run: (argv, io, { programName }) => pprof(argv, io, programName),
};

const COMPLETES: Readonly<Record<string, Completes>> = {
  base: 'files',
  diff_base: 'files',
  output: 'files',
  source_path: 'folders',
  tls_ca: 'files',
  tls_cert: 'files',
  tls_key: 'files',
};

const CHOICES: Readonly<Record<string, readonly string[]>> = { symbolize: ['none', 'text'] };

/** Reports that it only knows in order to refuse them are left out. */
function typedFlags(): TypedFlag[] {
  const names = Object.keys(FLAGS).filter(name => !UNSUPPORTED_REPORTS.includes(name));
  return [...names, 'help'].sort().map(name => ({
    names: [`-${name}`],
    repeats: false,
    placeholder: 'VALUE',
    takesValue: name !== 'help' && FLAGS[name] !== 'bool',
    help: '',
    choices: CHOICES[name] ?? [],
    completes: COMPLETES[name],
  }));
}

/** The help of `oakum pprof`. */
const PPROF_HELP = `Usage: oakum pprof REPORT [options] [BINARY] SOURCE...

  oakum pprof -top heap.pb.gz
  oakum pprof -top -diff_base before.pb.gz after.pb.gz
  oakum pprof -peek='sync.*Lock' -cum http://localhost:6060/debug/pprof/mutex
  oakum pprof -http=:8080 heap.pb.gz                            flame graph, tables and search in the browser
  oakum pprof -http=: -diff_base before.pb.gz after.pb.gz       the same for what grew

Prints what go tool pprof prints. A SOURCE is a file in any format Oakum reads, - for stdin, or a URL: http, https,
https+insecure, or unix:///path/to.sock/debug/pprof/heap. Several sources are merged.

Reports (one of):
  -top, -text         functions by their own value        -tree          each function with callers and callees
  -peek=REGEXP        the same for matching functions     -traces        every sample with its stack and labels
  -tags               label values and their share        -list=REGEXP   annotated source of matching functions
  -dot                call graph for Graphviz             -callgrind     call graph for KCachegrind
  -raw                the profile field by field          -comments      the profile's comments
  -proto              the profile as pprof protobuf       -topproto      the rows of -top as pprof protobuf

Browser:   -http=[HOST]:[PORT] instead of a report; HOST is localhost and PORT a free one unless given. Prints the
           address and opens no browser; Ctrl-C stops it. If others can reach the address, the link carries a token.
Compare:   -base FILE  -diff_base FILE  -normalize  -drop_negative
Values:    -sample_index=NAME|N  -mean  -divide_by=N  -unit=UNIT  -relative_percentages
           -inuse_space -inuse_objects -alloc_space -alloc_objects -contentions -total_delay -mean_delay
Filter:    -focus -ignore -hide -show -show_from -prune_from =REGEXP   -tagfocus -tagignore =[KEY=]REGEXP|RANGE
           -tagshow -taghide =REGEXP   -tagroot -tagleaf =KEY,KEY   -all_frames
Group by:  -functions -filefunctions -files -lines -addresses  -noinlines -showcolumns -call_tree
Order:     -flat -cum      Trim: -nodecount=N -nodefraction=F -edgefraction=F -trim
Output:    -output=FILE -compact_labels -source_path=DIRS -trim_path=PATHS
Source:    -seconds=N -timeout=N -symbolize=none|text -buildid=ID -add_comment=TEXT -tls_cert -tls_key -tls_ca =FILE
Ignored:   -tools=DIRS -intel_syntax -no_browser, accepted as go tool pprof does      Help: -help

-symbolize=none reads text dumps exactly as go tool pprof does, without their symbols; -symbolize=text keeps the symbols
of heap, mutex and block text too. Goroutine text keeps its symbols and labels by default.
OAKUM_MAX_BYTES caps how much decompressed input is read (1 GiB).
`;

async function pprof(argv: readonly string[], io: Io, programName: string): Promise<number> {
  const warn: Warn = message => io.stderr.write(message.endsWith('\n') ? message : `${message}\n`);
  let command: PprofCommand;
  try {
    command = parsePprofFlags(argv);
  } catch (error) {
    if (error instanceof HelpRequest) {
      io.stdout.write(withProgramName(PPROF_HELP, programName));
      return EXIT.done;
    }
    if (!(error instanceof FlagError)) throw error;
    warn(`${error.message}${whatNext(error, programName)}`);
    return EXIT.usage;
  }
  command.warnings.forEach(warn);
  const { report } = command;
  if (report === undefined && command.http === '') {
    // As in Go, everything after the first source is a source.
    const late = command.sources.find(source => /^--?[a-z]/.test(source));
    const why =
      late === undefined ? 'no report chosen' : `no report chosen before the sources, and ${late} is after them`;
    warn(`${why}: put one of -top -tree -peek=REGEXP -traces -tags -list=REGEXP -dot -raw -proto first`);
    return EXIT.usage;
  }

  try {
    if (report === undefined) {
      await serve(command, io, warn);
      return EXIT.done;
    }
    const profile = await fetchMerged(command, usesLabels(command), io, warn);
    const { source_path, trim_path, output } = command.config;
    const searchPath = source_path === '' ? io.cwd : source_path;
    const result = generateReport(
      profile,
      { report, config: command.config, ...(command.parameter === undefined ? {} : { parameter: command.parameter }) },
      {
        warn,
        compile: usesRegexp(command) ? await loadRegexp() : neverCompiled,
        readSource: sourceTextReader(searchPath, pathTrimmer(trim_path, searchPath)),
      },
    );
    if (output === '') {
      // A pipe gets the bytes that go tool pprof prints; on a terminal, names must not move its cursor.
      const isTerminal = io.stdout.isTTY === true;
      for (const chunk of reportChunks(result))
        io.stdout.write(isTerminal && typeof chunk === 'string' ? visibleLines(chunk) : chunk);
    } else {
      warn(`Generating report in ${output}`);
      await writeFileAtomically(
        output,
        concatBytes([...reportChunks(result)].map(chunk => (typeof chunk === 'string' ? encodeText(chunk) : chunk))),
        io.cwd,
      );
    }
    return EXIT.done;
  } catch (error) {
    // Like go tool pprof: only its message, and exit code 2 for every failure. A bug is reported as a bug.
    const failure = expectedFailure(error);
    if (failure === undefined) throw error;
    if (isDebug(io)) warn((error as Error).stack ?? '');
    warn(error instanceof Failure ? error.message : failure.sentence);
    return EXIT.usage;
  }
}

/** The flag that was probably meant, or a pointer to the help. */
function whatNext({ unknownFlag, showUsage }: FlagError, programName: string): string {
  const meant = unknownFlag === undefined ? undefined : nearest(unknownFlag, Object.keys(FLAGS));
  if (meant !== undefined) return `; did you mean -${meant}?`;
  return showUsage ? `; see ${programName} pprof -help` : '';
}

type Warn = (message: string) => void;

async function fetchMerged(command: PprofCommand, labels: boolean, io: Io, warn: Warn): Promise<Profile> {
  const { executable, sources } = splitExecutable(command.sources, io);
  const source = pprofSource(
    io,
    { textSymbols: textSymbols(command.symbolize), labels },
    { seconds: command.seconds, timeoutSeconds: command.timeoutSeconds, tls: command.tls },
  );
  const { profile, remote } = await fetchProfiles({ ...command, sources }, executable, source, loadRegexp, warn);
  if (remote) {
    const saved = await saveFetchedProfile(savedProfilePrefix(profile), gzipSync(encodeProfile(profile)), io.env);
    warn('path' in saved ? `Saved profile in ${saved.path}` : `Could not save profile: ${saved.error}`);
  }
  return profile;
}

/** Loads the server only now, because reports do not need it. */
async function serve(command: PprofCommand, io: Io, warn: Warn): Promise<void> {
  const [{ serveProfiles }, { WEB_FOLDER }] = await Promise.all([
    import('../connect/serve-profiles.ts'),
    import('../package-files.ts'),
  ]);
  const { source_path } = command.config;
  const searchPath = source_path === '' ? io.cwd : source_path;
  const stop = stopSignal();
  try {
    await serveProfiles({
      command,
      fetch: sources => fetchMerged({ ...command, sources, base: [] }, true, io, warn),
      readWhole: async source => {
        const path = resolve(io.cwd, source);
        return source !== '-' && existsSync(path) ? readBoundedFile(path, readLimits(io).maxBytes, source) : undefined;
      },
      readSource: sourceTextReader(searchPath, pathTrimmer(command.config.trim_path, searchPath)),
      webFolder: WEB_FOLDER,
      say: warn,
      signal: stop.signal,
    });
  } finally {
    stop.release();
  }
}

/** Loads re2js only when an expression is used: it is larger than the rest of the command. */
async function loadRegexp(): Promise<CompileRegexp> {
  return (await import('../../profile/pprof/go-regexp.ts')).compileGoRegexp;
}

function neverCompiled(source: string): never {
  throw new Error(`bug: ${source} was not expected to be an expression`);
}

function reportChunks(report: Report): Iterable<string | Uint8Array> {
  return report.kind === 'text' ? report.chunks : [gzipSync(encodeProfile(report.profile))];
}

/** Goroutine text keeps its symbols unless symbolization is off; `-symbolize=text` keeps those of every text format. */
function textSymbols(symbolize: string): TextSymbols {
  if (symbolizationOff(symbolize)) return 'none';
  return symbolize.toLowerCase().split(':').includes('text') ? 'all' : 'goroutines';
}

/** The first of several sources may be the binary. */
function splitExecutable(
  sources: readonly string[],
  io: Io,
): { executable: string | undefined; sources: readonly string[] } {
  const [first, ...rest] = sources;
  if (first === undefined || rest.length === 0 || !isExecutable(resolve(io.cwd, first)))
    return { executable: undefined, sources };
  return { executable: first, sources: rest };
}

/** ELF, Mach-O, PE or WebAssembly, by magic number. */
function isExecutable(path: string): boolean {
  const magic = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, magic, 0, 4, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  const hex = magic.toString('hex');
  return /^(7f454c46|feedface|feedfacf|cefaedfe|cffaedfe|4d5a....|0061736d)$/.test(hex);
}
