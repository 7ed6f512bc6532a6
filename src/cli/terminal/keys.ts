/** Names the keys in what a terminal in raw mode sends: `a`, `/`, `up`, `page-down`, `enter`, `ctrl-c`. */
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
