/**
 * The commands that exist, in the order of the help. Each file of `commands/` is loaded only when its command is
 * called, so that a new command costs the others nothing at start-up.
 */
import type { Command } from './options/command.ts';

type LoadCommand = () => Promise<Command>;

export const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  watch: async () => (await import('./commands/watch.ts')).command,
  triage: async () => (await import('./commands/triage.ts')).command,
  top: async () => (await import('./commands/top.ts')).command,
  analyze: async () => (await import('./commands/analyze.ts')).command,
  detect: async () => (await import('./commands/detect.ts')).command,
  bisect: async () => (await import('./commands/bisect.ts')).command,
  doctor: async () => (await import('./commands/doctor.ts')).command,
  capture: async () => (await import('./commands/capture.ts')).command,
  plan: async () => (await import('./commands/plan.ts')).command,
  access: async () => (await import('./commands/access.ts')).command,
  gate: async () => (await import('./commands/gate.ts')).command,
  apply: async () => (await import('./commands/apply.ts')).command,
  verify: async () => (await import('./commands/verify.ts')).command,
  cycle: async () => (await import('./commands/cycle.ts')).command,
  pprof: async () => (await import('./commands/pprof.ts')).command,
  convert: async () => (await import('./commands/convert.ts')).command,
  catalogue: async () => (await import('./commands/catalogue.ts')).command,
  labels: async () => (await import('./commands/labels.ts')).command,
  rules: async () => (await import('./commands/rules.ts')).command,
  bundle: async () => (await import('./commands/bundle.ts')).command,
  report: async () => (await import('./commands/report.ts')).command,
  'collect-script': async () => (await import('./commands/collect-script.ts')).command,
  store: async () => (await import('./commands/store.ts')).command,
  completion: async () => (await import('./commands/completion.ts')).command,
  version: async () => (await import('./commands/version.ts')).command,
};

export function findCommand(name: string | undefined): LoadCommand | undefined {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}
