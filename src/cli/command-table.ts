/**
 * The commands that exist, grouped by what they are for, as the help and the README show them. A command is
 * loaded only when it is called, so that a new one costs the others nothing at start-up.
 */
import type { Command, ListedCommand } from './options/command.ts';

export const GROUPS: Readonly<Record<string, Readonly<Record<string, ListedCommand>>>> = {
  'answer a page': {
    triage: {
      summary: 'leak or not, which code, what is safe; the evidence saved',
      load: async () => (await import('./commands/triage.ts')).command,
    },
    top: {
      summary: 'what one process holds now, live in the terminal',
      load: async () => (await import('./commands/top.ts')).command,
    },
    doctor: {
      summary: 'show what can be observed, what that can prove, and what is dangerous',
      load: async () => (await import('./commands/doctor.ts')).command,
    },
    capture: {
      summary: 'save the evidence of a live process: metrics, goroutines and heap, twice',
      load: async () => (await import('./commands/capture.ts')).command,
    },
  },
  'act, and see if it helped': {
    plan: {
      summary: 'write what would be done about a leak, for review; changes nothing',
      load: async () => (await import('./commands/plan.ts')).command,
    },
    apply: {
      summary: 'do what a plan says, step by step, after asking',
      load: async () => (await import('./commands/apply.ts')).command,
    },
    verify: {
      summary: 'show whether what a plan did helped: cleared, came back, or too early to tell',
      load: async () => (await import('./commands/verify.ts')).command,
    },
    access: {
      summary: 'print the roles that watching, capturing, conditions, acting or replicas need',
      load: async () => (await import('./commands/access.ts')).command,
    },
  },
  'watch one cluster or many': {
    watch: {
      summary: 'watch a cluster: sample, detect, save evidence before a kill; with a web UI',
      load: async () => (await import('./watch/command.ts')).command,
    },
    rules: {
      summary: 'print alert rules for Prometheus, or a Grafana dashboard',
      load: async () => (await import('./commands/rules.ts')).command,
    },
  },
  'find the cause in files': {
    analyze: {
      summary: 'find what leaks, how fast, whose it is and whether it is known',
      load: async () => (await import('./commands/analyze.ts')).command,
    },
    detect: {
      summary: 'find which targets leak, since when and how fast, from recorded metrics',
      load: async () => (await import('./commands/detect.ts')).command,
    },
    bisect: {
      summary: 'find which version, setting or change a leak came with',
      load: async () => (await import('./commands/bisect.ts')).command,
    },
    cycle: {
      summary: 'show where each node is in the OOM cycle, and how it got there',
      load: async () => (await import('./commands/cycle.ts')).command,
    },
    labels: {
      summary: 'count goroutines by pprof label; find those of tenants that no longer exist',
      load: async () => (await import('./commands/labels.ts')).command,
    },
  },
  'look up a known leak': {
    catalogue: {
      summary: 'show the known leaks, or check entries of your own',
      load: async () => (await import('./commands/catalogue.ts')).command,
    },
  },
  'read and convert profiles': {
    pprof: {
      summary: 'report on profiles with the flags and the output of go tool pprof',
      load: async () => (await import('./commands/pprof.ts')).command,
    },
    convert: {
      summary: 'turn a profile or a dump into another format',
      load: async () => (await import('./commands/convert.ts')).command,
    },
  },
  'hand evidence to others': {
    bundle: {
      summary: 'pack evidence into one redacted archive that is safe to share; check one',
      load: async () => (await import('./commands/bundle.ts')).command,
    },
    report: {
      summary: 'write what the evidence proves as a document for others',
      load: async () => (await import('./commands/report.ts')).command,
    },
    'collect-script': {
      summary: 'print a shell script that takes evidence with kubectl alone',
      load: async () => (await import('./commands/collect-script.ts')).command,
    },
  },
  'move or check its store': {
    store: {
      summary: 'copy the store of oakum watch to another place; check one',
      load: async () => (await import('./commands/store.ts')).command,
    },
  },
  'keep leaks out of a merge': {
    gate: {
      summary: 'no leak gets merged: run operations, decide what each leaves behind',
      load: async () => (await import('./gate/command.ts')).command,
    },
  },
  'set up the shell': {
    completion: {
      summary: 'print a completion script for a shell, or the man page',
      load: async () => (await import('./commands/completion.ts')).command,
    },
    version: {
      summary: 'print the version',
      load: async () => (await import('./commands/version.ts')).command,
    },
  },
};

export const COMMANDS: Readonly<Record<string, ListedCommand>> = Object.assign({}, ...Object.values(GROUPS));

export function findCommand(name: string | undefined): (() => Promise<Command>) | undefined {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.load : undefined;
}
