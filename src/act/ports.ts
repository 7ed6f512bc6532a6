import type { PlanRecord } from '../store/plan-log.ts';
import type { VerifySample } from './plan-verification.ts';

/** Runs a command of the user's, without a shell. */
export interface CommandRunner {
  run(argv: readonly string[], options: CommandOptions): Promise<CommandEnd>;
  /** Ends what a run before us started and could not end any more. False if it has ended. */
  endOrphan(orphan: StartedCommand): Promise<boolean>;
}

export interface CommandOptions {
  /** Then the command is killed, with everything it started. */
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  /** Awaited before the end is reported. */
  readonly onStarted?: (started: StartedCommand) => Promise<void>;
}

/** A pid alone does not identify a process. */
export interface StartedCommand {
  readonly pid: number;
  /** Since the machine's start; null where the system does not say. */
  readonly startTicks: number | null;
}

export interface CommandEnd {
  readonly how: 'exited' | 'killed' | 'not-started' | 'deadline' | 'stopped';
  readonly exitCode: number | null;
  /** The last of stdout and stderr. */
  readonly output: string;
}

/** The append-only log of a plan. */
export interface PlanLog {
  /** For messages. */
  readonly place: string;
  /** In order; empty if nothing was applied yet. A last line that a crash cut is left out. */
  read(): Promise<readonly PlanRecord[]>;
  /** Resolves when the record is on disk. */
  append(record: PlanRecord): Promise<void>;
}

/** Scrapes of a plan's nodes, kept beside the plan so that verifying again knows what was seen before. */
export interface VerifySamples {
  /** In order of time. */
  read(): Promise<readonly VerifySample[]>;
  append(sample: VerifySample): Promise<void>;
}
