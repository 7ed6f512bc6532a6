/** Goroutine text as `/debug/pprof/goroutine` gives it, written to a file piece by piece. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { makeStacks, type MadeFrame } from './goroutine-stacks.ts';
import { randomFrom } from './random.ts';

type Random = () => number;

class TextFile {
  private readonly fd: number;
  private readonly pieces: string[] = [];
  private pending = 0;
  bytes = 0;

  constructor(path: string) {
    this.fd = openSync(path, 'w');
  }

  /** ASCII only, so that characters are bytes. */
  write(text: string): void {
    this.pieces.push(text);
    this.bytes += text.length;
    this.pending += text.length;
    if (this.pending > 1 << 22) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.fd);
  }

  private flush(): void {
    writeSync(this.fd, this.pieces.join(''));
    this.pieces.length = 0;
    this.pending = 0;
  }
}

const hex = (value: number): string => `0x${value.toString(16)}`;
const pointer = (random: Random): string => hex(0xc000000000 + 8 * Math.floor(random() * 0x8000000));

/** A debug=2 dump of complete goroutines, as many as fit into `maxBytes`. Labels as in Go 1.27. */
export function makeDebug2(path: string, maxBytes: number, withLabels: boolean): void {
  const stacks = makeStacks(400, 5, 25);
  const random = randomFrom(11);
  const below = (limit: number): number => Math.floor(random() * limit);
  const file = new TextFile(path);
  let id = 1;
  for (;;) {
    // A few stacks have most of the goroutines.
    const stack = stacks[Math.floor(stacks.length * random() ** 2.5)];
    const minutes = random() < 0.7 ? `, ${1 + below(4000)} minutes` : '';
    const locked = random() < 0.005 ? ', locked to thread' : '';
    const labels =
      withLabels && random() < 0.5 ? ` {controller: "kcp-kube-quota", logicalcluster: lc${below(5000)}}` : '';
    let text = `goroutine ${(id += 1 + below(40))} [${stack.state}${minutes}${locked}]${labels}:\n`;
    for (const frame of stack.frames) text += call(frame, random);
    const by = `${stack.creator.fn} in goroutine ${1 + below(id)}`;
    text += `created by ${by}\n\t${stack.creator.place} +${hex(stack.creator.offset)}\n`;
    if (file.bytes + text.length + 1 > maxBytes) break;
    file.write(file.bytes === 0 ? text : `\n${text}`);
  }
  file.close();
}

function call(frame: MadeFrame, random: Random): string {
  if (frame.inlined) return `${frame.fn}(...)\n\t${frame.place}\n`;
  const args = frame.shape.map(shape => argument(shape, random)).join(', ');
  return `${frame.fn}(${args})\n\t${frame.place} +${hex(frame.offset)}\n`;
}

function argument(shape: string, random: Random): string {
  const doubt = shape.endsWith('?') ? '?' : '';
  switch (shape[0]) {
    case 'p':
      return pointer(random) + doubt;
    case 'i':
      return `{${hex(0x4031110 + 8 * Math.floor(random() * 4000))}${doubt}, ${pointer(random)}${doubt}}`;
    case 's':
      return `{${pointer(random)}, 0x400, 0x400}`;
    default:
      return hex(Math.floor(random() * 512)) + doubt;
  }
}

/** debug=1: `rows` rows for `goroutines` goroutines, each with its own labels on request. */
export function makeDebug1(path: string, rows: number, goroutines: number, withLabels: boolean): void {
  const stacks = withLabels ? makeStacks(400, 3, 5) : makeStacks(rows, 5, 25);
  const random = randomFrom(13);
  const file = new TextFile(path);
  file.write(`goroutine profile: total ${goroutines}\n`);
  const hidden = [0x484e2a, 0x415bce, 0x4156f2];
  for (const [row, count] of countsOf(rows, goroutines).entries()) {
    const { frames } = stacks[withLabels ? Math.floor(stacks.length * random() ** 2.5) : row];
    const pcs = [...hidden.slice(0, 1 + (frames[0].entry % 3)), ...frames.map(f => f.entry + f.offset), 0x48b3a1];
    let text = `${count} @ ${pcs.map(hex).join(' ')}\n`;
    if (withLabels) text += `# labels: {"controller":"kcp-kube-quota", "request":"${hex(row * 40503 + 0x10000000)}"}\n`;
    const names = frames.map(f => `${f.fn}+${hex(f.offset - 1)}`);
    const width = Math.ceil((Math.max(...names.map(name => name.length)) + 1) / 8) * 8;
    for (const [i, frame] of frames.entries()) {
      const tabs = '\t'.repeat(Math.ceil((width - names[i].length) / 8));
      text += `#\t${hex(frame.entry + frame.offset - 1)}\t${names[i]}${tabs}${frame.place}\n`;
    }
    file.write(`${text}\n`);
  }
  file.close();
}

/** Falling counts of at least one that add up to `total`. */
function countsOf(rows: number, total: number): number[] {
  let weights = 0;
  for (let row = 0; row < rows; row++) weights += 1 / (row + 1);
  const spare = total - rows;
  const counts = Array.from({ length: rows }, (_, row) => 1 + Math.floor(spare / (row + 1) / weights));
  counts[0] += total - counts.reduce((sum, count) => sum + count, 0);
  return counts;
}
