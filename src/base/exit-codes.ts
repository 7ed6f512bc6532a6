/** Exit codes. Scripts rely on these numbers: docs/exit-codes.md lists them, and none is reused. */
export const EXIT = {
  /** The work was done, whatever it found. */
  done: 0,
  /** A leak was found, and `--fail-on` makes that a failure. */
  leakFound: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** The input is absent, forbidden or unreadable. */
  couldNotObserve: 3,
  /** Something could not be changed or written. */
  actionFailed: 4,
  /** A gate could not decide. */
  undecided: 5,
  /** A bug in Oakum (EX_SOFTWARE of sysexits.h). */
  internalError: 70,
  /** Ctrl-C during the work: what a shell reports after SIGINT. */
  interrupted: 130,
  /** The reader of our output went away: what a shell reports after SIGPIPE. */
  brokenPipe: 141,
} as const;
