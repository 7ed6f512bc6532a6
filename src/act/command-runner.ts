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
