/**
 * A terminal as a whole screen: another buffer, no cursor, every key at once. However it ends (quit, Ctrl-C, a signal,
 * an error, Ctrl-Z), the terminal is left as it was.
 */

/** What a terminal in raw mode sends for a key. */
const SEQUENCES: readonly (readonly [bytes: string, name: string])[] = [
  ['\x1b[A', 'up'],
  ['\x1bOA', 'up'],
  ['\x1b[B', 'down'],
  ['\x1bOB', 'down'],
  ['\x1b[C', 'right'],
  ['\x1bOC', 'right'],
  ['\x1b[D', 'left'],
  ['\x1bOD', 'left'],
  ['\x1b[5~', 'page-up'],
  ['\x1b[6~', 'page-down'],
  ['\x1b[H', 'home'],
  ['\x1bOH', 'home'],
  ['\x1b[1~', 'home'],
  ['\x1b[F', 'end'],
  ['\x1bOF', 'end'],
  ['\x1b[4~', 'end'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\t', 'tab'],
  ['\x7f', 'backspace'],
  ['\b', 'backspace'],
  ['\x03', 'ctrl-c'],
  ['\x1a', 'ctrl-z'],
  ['\x0c', 'ctrl-l'],
];

/** A sequence of another key. Escape and a letter in one chunk are two keys: Alt has no meaning here. */
const OTHER_SEQUENCE = /^\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])/;

export interface Terminal {
  open(handlers: ScreenHandlers): FullScreen;
}

export interface ScreenHandlers {
  readonly onKey: (key: string) => void;
  /** The size changed, or the screen was wiped. */
  readonly onRedraw: () => void;
}

export interface FullScreen {
  readonly columns: number;
  readonly rows: number;
  /** One string per row, none wider than the screen. */
  draw(lines: readonly string[]): void;
  /** Hands the terminal back to the shell until the user continues. */
  suspend(): void;
  close(): void;
}

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J';
/** Wiped first: tmux would push rows of a screen that grew into the shell's history. */
const LEAVE = '\x1b[H\x1b[2J\x1b[?25h\x1b[?1049l';
const SMALLEST = { columns: 20, rows: 8 };

export function processTerminal(): Terminal {
  return { open: openScreen };
}

function openScreen({ onKey, onRedraw }: ScreenHandlers): FullScreen {
  const { stdin, stdout } = process;
  let isEntered = false;
  const enter = (): void => {
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(ENTER);
    isEntered = true;
  };
  const leave = (): void => {
    if (!isEntered) return;
    isEntered = false;
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
  };
  const onData = (chunk: Buffer | string): void => keysIn(chunk.toString()).forEach(onKey);
  const onContinue = (): void => {
    enter();
    // A resize is told to the foreground only, so this process missed those while it was stopped: look at the size again.
    process.kill(process.pid, 'SIGWINCH');
    onRedraw();
  };
  stdin.on('data', onData);
  stdout.on('resize', onRedraw);
  process.on('SIGCONT', onContinue);
  process.on('exit', leave);
  enter();
  return {
    get columns() {
      return Math.max(SMALLEST.columns, stdout.columns);
    },
    get rows() {
      return Math.max(SMALLEST.rows, stdout.rows);
    },
    draw: lines => {
      // Each line is wiped before it is written: wiping after a full line would take its last character.
      if (isEntered) stdout.write(`\x1b[H${lines.map(line => `\x1b[2K${line}`).join('\r\n')}`);
    },
    suspend: () => {
      leave();
      // The whole group, as the terminal itself would do it.
      process.kill(0, 'SIGTSTP');
    },
    close: () => {
      leave();
      stdin.off('data', onData);
      stdout.off('resize', onRedraw);
      process.off('SIGCONT', onContinue);
      process.off('exit', leave);
    },
  };
}

export function keysIn(text: string): string[] {
  const keys: string[] = [];
  let rest = text;
  while (rest !== '') {
    const known = SEQUENCES.find(([bytes]) => rest.startsWith(bytes));
    if (known !== undefined) {
      keys.push(known[1]);
      rest = rest.slice(known[0].length);
      continue;
    }
    const other = OTHER_SEQUENCE.exec(rest);
    if (other !== null) {
      rest = rest.slice(other[0].length);
      continue;
    }
    const [char = ''] = rest;
    if (char === '\x1b') keys.push('escape');
    else if (char >= ' ') keys.push(char);
    rest = rest.slice(char.length);
  }
  return keys;
}
