/**
 * The commands that exist, grouped by what they are for, as the help and the README show them. Each file of `commands/`
 * is loaded only when its command is called, so that a new command costs the others nothing at start-up.
 */
import type { Command } from './options/command.ts';

type LoadCommand = () => Promise<Command>;

export const GROUPS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  'answer a page': {
    triage: async () => (await import('./commands/triage.ts')).command,
    top: async () => (await import('./commands/top.ts')).command,
    doctor: async () => (await import('./commands/doctor.ts')).command,
    capture: async () => (await import('./commands/capture.ts')).command,
  },
  'act, and see if it helped': {
    plan: async () => (await import('./commands/plan.ts')).command,
    apply: async () => (await import('./commands/apply.ts')).command,
    verify: async () => (await import('./commands/verify.ts')).command,
    access: async () => (await import('./commands/access.ts')).command,
  },
  'watch one cluster or many': {
    watch: async () => (await import('./watch/command.ts')).command,
    rules: async () => (await import('./commands/rules.ts')).command,
  },
  'find the cause in files': {
    analyze: async () => (await import('./commands/analyze.ts')).command,
    detect: async () => (await import('./commands/detect.ts')).command,
    bisect: async () => (await import('./commands/bisect.ts')).command,
    cycle: async () => (await import('./commands/cycle.ts')).command,
    labels: async () => (await import('./commands/labels.ts')).command,
  },
  'look up a known leak': {
    catalogue: async () => (await import('./commands/catalogue.ts')).command,
  },
  'read and convert profiles': {
    pprof: async () => (await import('./commands/pprof.ts')).command,
    convert: async () => (await import('./commands/convert.ts')).command,
  },
  'hand evidence to others': {
    bundle: async () => (await import('./commands/bundle.ts')).command,
    report: async () => (await import('./commands/report.ts')).command,
    'collect-script': async () => (await import('./commands/collect-script.ts')).command,
  },
  'move or check its store': {
    store: async () => (await import('./commands/store.ts')).command,
  },
  'keep leaks out of a merge': {
    gate: async () => (await import('./gate/command.ts')).command,
  },
  'set up the shell': {
    completion: async () => (await import('./commands/completion.ts')).command,
    version: async () => (await import('./commands/version.ts')).command,
  },
};

export const COMMANDS: Readonly<Record<string, LoadCommand>> = Object.assign({}, ...Object.values(GROUPS));

export function findCommand(name: string | undefined): LoadCommand | undefined {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}
