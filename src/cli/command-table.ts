/**
 * The commands that exist. Each file of `commands/` is loaded only when its command is called, so that a new command
 * costs the others nothing at start-up. A command parses its own arguments: `pprof` takes Go's single-dash flags.
 */
import type { Io } from './terminal/io.ts';

/** `programName` is what the user called: `oakum`, or `kubectl oakum`. */
export type RunCommand = (argv: string[], io: Io, programName?: string) => Promise<number>;

export interface CommandEntry {
  readonly name: string;
  /** What follows the name in the usage line. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<RunCommand>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'watch',
    usage: '[TARGET...] [options]',
    summary: 'watch a cluster: sample, detect, keep evidence before a kill; with a web UI',
    load: async () => (await import('./commands/watch.ts')).runWatchCommand,
  },
  {
    name: 'triage',
    usage: 'TARGET [options]',
    summary: 'leak or not, which code, what is safe; the evidence saved',
    load: async () => (await import('./commands/triage.ts')).runTriageCommand,
  },
  {
    name: 'analyze',
    usage: 'PATH... [options]',
    summary: 'find what leaks, how fast, whose it is and whether it is known',
    load: async () => (await import('./commands/analyze.ts')).runAnalyze,
  },
  {
    name: 'detect',
    usage: 'PATH... [options]',
    summary: 'find which targets leak, since when and how fast, from recorded metrics',
    load: async () => (await import('./commands/detect.ts')).runDetect,
  },
  {
    name: 'doctor',
    usage: '[TARGET] [options]',
    summary: 'tell what can be observed, what can therefore be proved, and what is dangerous',
    load: async () => (await import('./commands/doctor.ts')).runDoctor,
  },
  {
    name: 'capture',
    usage: 'TARGET [-o DIR] [options]',
    summary: 'keep the evidence of a live process: metrics, goroutines and heap, twice',
    load: async () => (await import('./commands/capture.ts')).runCaptureCommand,
  },
  {
    name: 'cycle',
    usage: 'PATH... [options]',
    summary: 'tell where each node is in the OOM cycle, and how it came there',
    load: async () => (await import('./commands/cycle.ts')).runCycle,
  },
  {
    name: 'pprof',
    usage: 'REPORT [options] SOURCE...',
    summary: 'report on profiles with the flags and the output of go tool pprof',
    load: async () => (await import('./commands/pprof.ts')).runPprof,
  },
  {
    name: 'convert',
    usage: 'IN -o OUT [options]',
    summary: 'turn a profile or a dump into another format',
    load: async () => (await import('./commands/convert.ts')).runConvert,
  },
  {
    name: 'catalogue',
    usage: 'list | show ID | lint [options]',
    summary: 'show the known leaks, or check entries of your own',
    load: async () => (await import('./commands/catalogue.ts')).runCatalogue,
  },
  {
    name: 'labels',
    usage: 'FILE... [--by KEY,...]',
    summary: 'count goroutines by pprof label; find those of tenants that are gone',
    load: async () => (await import('./commands/labels.ts')).runLabels,
  },
  {
    name: 'rules',
    usage: '--format FORMAT [options]',
    summary: 'print alert rules for Prometheus, or a Grafana dashboard',
    load: async () => (await import('./commands/rules.ts')).runRules,
  },
  {
    name: 'bundle',
    usage: 'PATH... -o FILE | verify FILE',
    summary: 'put evidence into one redacted archive that may be shared; check one',
    load: async () => (await import('./commands/bundle.ts')).runBundle,
  },
  {
    name: 'report',
    usage: 'PATH... --for upstream|provider|incident',
    summary: 'write what the evidence proves as a document for others',
    load: async () => (await import('./commands/report.ts')).runReport,
  },
  {
    name: 'collect-script',
    usage: '[TARGET]',
    summary: 'print a shell script that takes evidence with kubectl alone',
    load: async () => (await import('./commands/collect-script.ts')).runCollectScript,
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    summary: 'print a completion script for a shell',
    load: async () => (await import('./commands/completion.ts')).runCompletion,
  },
  {
    name: 'version',
    usage: '',
    summary: 'print the version',
    load: async () => (await import('./commands/version.ts')).runVersion,
  },
];

export function findCommand(name: string | undefined): CommandEntry | undefined {
  return COMMANDS.find(command => command.name === name);
}
