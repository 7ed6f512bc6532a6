/**
 * Heap, mutex and block profiles as text (debug=1): rows of numbers with symbols below them.
 *
 *     1: 1152 [3: 3456] @ 0x482cec 0x486ee7        kept: numbers and addresses
 *     #	0x482ceb	main.write+0xe7	/src/main.go:94    the path is redacted
 *     # HeapAlloc = 1234                           kept: MemStats
 *
 * Lines of any other shape, and the memory map at the end, are left out.
 */
import { encodeText } from '../../../base/text.ts';
import { redactFunction } from './code-names.ts';
import { redactSourcePath } from './code-paths.ts';
import type { Redactor } from './redactor.ts';

const ROW = /^[ \t]*\d+:? \d+(?: \[\d+: \d+\])? @(?: 0x[0-9a-f]+)*$/;
const HEADER =
  /^(?:heap profile: \d+: \d+ \[\d+: \d+\] @ heap\/\d+|--- (?:mutex|contention):|cycles\/second=\d+|sampling period=\d+)$/;
const SYMBOL = /^#(\t+)(0x[0-9a-f]+)(?:(\t+)(.+?)(\+0x[0-9a-f]+)?(\t+)(.*?)(:\d+)?)?$/;
const STATISTIC =
  /^# (?:runtime\.MemStats|(?:Alloc|TotalAlloc|Sys|Lookups|Mallocs|Frees|HeapAlloc|HeapSys|HeapIdle|HeapInuse|HeapReleased|HeapObjects|Stack|MSpan|MCache|BuckHashSys|GCSys|OtherSys|NextGC|LastGC|PauseNs|PauseEnd|NumGC|NumForcedGC|GCCPUFraction|DebugGC|MaxRSS) = (?:[\d./ e+-]{1,60}|\[[\d ]*\]|true|false))$/;

export function redactCountedText(text: string, redactor: Redactor): Uint8Array {
  const out: string[] = [];
  const symbols = new Map<string, string>();
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const known = symbols.get(line);
    if (known !== undefined) out.push(known);
    else if (line === '' || ROW.test(line) || HEADER.test(line) || STATISTIC.test(line)) out.push(line);
    else {
      const symbol = SYMBOL.exec(line);
      if (symbol === null) continue;
      const redacted = redactSymbol(symbol, redactor);
      symbols.set(line, redacted);
      out.push(redacted);
    }
  }
  return encodeText(out.join('\n'));
}

function redactSymbol(symbol: RegExpExecArray, redactor: Redactor): string {
  const [, first, pc, gap, name, offset = '', between, file = '', line = ''] = symbol;
  if (name === undefined) return `#${first}${pc}`;
  const path = redactSourcePath(file, name, redactor);
  return `#${first}${pc}${gap}${redactFunction(name, redactor)}${offset}${between}${path}${line}`;
}
