/** Asks on the terminal; only the whole word yes is a yes. */
import { decodeText } from '../../base/text.ts';
import type { Io } from '../terminal/io.ts';

export async function askYes(question: string, io: Io): Promise<boolean> {
  io.stderr.write(`${question} Type yes to go on: `);
  let text = '';
  for await (const chunk of io.stdin) {
    text += decodeText(chunk);
    if (text.includes('\n')) break;
  }
  return /^yes\s*$/.test(text.split('\n')[0] ?? '');
}
