/**
 * Text as people paste it, line by line, without what issues, chats, mails and logs put around it.
 *
 *     > ```                                                   a fence ends a block
 *     > | 49411 @ 0x43fe6e 0x40a6a5 |                         49411 @ 0x43fe6e 0x40a6a5
 *     Nov 26 09:24:44 h otelcol[12]: memory after GC          memory after GC          logged at that time
 *     {"log":"goroutine 1 [running]:\nmain.main()\n"}         goroutine 1 [running]: / main.main()
 *     main.(*box[&#46;&hellip;]).wait(&lt;nil&gt;)            main.(*box[....]).wait(<nil>)
 *
 * Every line keeps the number of the line that it came from. The time is linear in the size of the text.
 */
import { parseJson, recordOf } from '../../../base/json.ts';
import { encodeText } from '../../../base/text.ts';
import { parseLogLine } from '../log-line.ts';
import { type LogStamp, NO_STAMP, parseStamp } from '../log-stamp.ts';

export interface PasteLine {
  /** Without white space at its end. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** When it was logged. */
  readonly stamp: LogStamp;
  /** It stands before a fence, or is one: what follows is another block. */
  readonly isFence: boolean;
}

/** Longer lines are no text that a person pasted, and JSON within them is not looked for. */
const MAX_JSON_LINE = 4 * 1024 * 1024;
const MAX_QUOTES = 8;

export function unwrapText(text: string): PasteLine[] {
  const out: PasteLine[] = [];
  let number = 0;
  for (const raw of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    number++;
    unwrapLine(raw, number, NO_STAMP, out, 0);
  }
  return out;
}

function unwrapLine(raw: string, number: number, stamp: LogStamp, out: PasteLine[], depth: number): void {
  const line = withoutMarkup(raw);
  if (FENCE.test(line)) {
    out.push({ text: '', number, stamp, isFence: true });
    return;
  }
  const inner = depth < 3 ? packedText(line) : undefined;
  if (inner !== undefined) {
    for (const part of inner.text.split(/\r\n|\n|\r/)) {
      unwrapLine(part, number, inner.stamp.kind === 'none' ? stamp : inner.stamp, out, depth + 1);
    }
    return;
  }
  const logged = MAY_BE_LOGGED.test(line) ? loggedLine(line) : undefined;
  // A row of a table may be a time and a number.
  if (logged === undefined || logged.stamp.kind === 'none' || logged.message === '') {
    out.push({ text: line, number, stamp, isFence: false });
    return;
  }
  // A container's JSON, or a text with escapes, may stand behind the time.
  if (depth < 3) unwrapLine(logged.message, number, logged.stamp, out, depth + 1);
  else out.push({ text: logged.message, number, stamp: logged.stamp, isFence: false });
}

const FENCE = /^\s*(?:```|~~~)[^`]*$/;
/** A digit, a capital letter or a bracket begins every time and level that a logger writes. */
const MAY_BE_LOGGED = /^(?:\[ *[\d<A-Z]|\d{4}[-/]\d|\d{9,11}\.|[A-Z][a-z]{2} |[IWEF]\d{4} )/;

/** A date and a time with a space between them, as people write them. */
const PLAIN_STAMP = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| UTC)?)[ \t]+(\S.*)$/;

function loggedLine(line: string): { readonly stamp: LogStamp; readonly message: string } | undefined {
  if (line.length > 64 * 1024) return undefined;
  const plain = PLAIN_STAMP.exec(line);
  if (plain !== null) return { stamp: parseStamp(plain[1]), message: plain[2] };
  const bytes = encodeText(line);
  const logged = parseLogLine(bytes, 0, bytes.length);
  // syslog writes a tab as #011.
  return { stamp: logged.stamp, message: logged.message.replaceAll('#011', '\t') };
}

/** The fields in which loggers put their message. */
const MESSAGES = ['log', 'message', 'msg', 'MESSAGE', 'body', 'text', 'stack', 'stacktrace', 'textPayload', 'content'];
const TIMES = ['time', 'timestamp', 'ts', '@timestamp'];

/** The text in a line that is JSON, or that was written with escapes: `a\n\tb` in one line. */
function packedText(line: string): { readonly text: string; readonly stamp: LogStamp } | undefined {
  if (line.length > MAX_JSON_LINE) return undefined;
  const trimmed = line.trim();
  if (trimmed.startsWith('{') && trimmed.endsWith('}') && trimmed.includes('"')) {
    const fields = recordOf(parseJson(trimmed));
    const found = MESSAGES.map(name => fields[name]).filter(
      (value): value is string => typeof value === 'string' && value !== '',
    );
    // A stack has lines of its own; a short message beside it says less.
    const text = found.find(value => value.includes('\n')) ?? found[0];
    const time = TIMES.map(name => fields[name]).find(value => typeof value === 'string');
    if (text !== undefined) {
      const others = Object.entries(fields).filter(([, value]) => typeof value === 'number');
      const told = others.map(([name, value]) => `${name}=${String(value)}`).join(' ');
      return {
        text: told === '' ? text : `${text.trimEnd()} ${told}`,
        stamp: typeof time === 'string' ? parseStamp(time) : NO_STAMP,
      };
    }
  }
  if (/^".*"$/.test(trimmed) && trimmed.includes('\\n')) {
    const { text } = recordOf(parseJson(`{"text":${trimmed}}`));
    if (typeof text === 'string') return { text, stamp: NO_STAMP };
  }
  // A message with escapes: Windows paths have single ones.
  const breaks = line.split('\\n').length - 1;
  if (breaks < 2 || !/\\n(?:\\t|goroutine |\d+ @|#|\s)/.test(line)) return undefined;
  const text = line.replaceAll('\\r\\n', '\n').replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  return { text, stamp: NO_STAMP };
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '...',
  middot: '·',
  larr: '←',
};
const TAG =
  /<\/?(?:pre|code|details|summary|br|p|div|span|b|i|em|strong|tt|blockquote|samp|kbd|td|tr|table|tbody|th|thead)(?:\s[^<>]{0,300})?\/?>/gi;

/** Without quotes, entities, tags, links, emphasis and the frame of a table. */
function withoutMarkup(raw: string): string {
  let line = raw;
  if (NEEDS_PLAIN.test(line)) {
    line = line
      .replace(/[\u2018\u2019\u201b\u2032]/g, "'")
      .replace(/[\u201c\u201d\u201f\u2033]/g, '"')
      .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
      .replace(/[\u200b-\u200f\u2060\ufeff]/g, '')
      .replaceAll('\u2026', '...');
  }
  for (let level = 0; level < MAX_QUOTES && QUOTE.test(line); level++) line = line.replace(QUOTE, '');
  if (line.includes('<')) line = line.replace(TAG, match => (/^<(?:br|td|th|tr)/i.test(match) ? ' ' : ''));
  if (line.includes('&')) line = line.replace(/&(?:#(\d{1,6})|#[xX]([0-9a-fA-F]{1,5})|([a-z]{2,6}));/g, entity);
  if (line.includes('](')) line = line.replace(/\[([^[\]]{1,500})\]\((?:https?:|mailto:|\/|#)[^\s()]{0,2000}\)/g, '$1');
  if (line.includes('**')) line = line.replace(/(^|[\s|(])\*\*([^*\n]{1,300})\*\*(?=[\s|).,;:]|$)/g, '$1$2');
  if (line.includes('`') && !FENCE.test(line)) line = line.replace(/`+/g, '');
  if (line.includes('\\')) line = line.replace(/\\([_*#>[\]|~`<-])/g, '$1');
  const cells = /^\s*\|(.*)\|\s*$/.exec(line);
  if (cells !== null && !/\|\s*\|\s*\|/.test(line))
    line = /^[\s|:-]+$/.test(line) ? '' : cells[1].split('|').join('  ');
  return line.trimEnd();
}

/** Typographic signs that editors put in place of plain ones. */
const NEEDS_PLAIN = /[\u00a0\u2000-\u200f\u2018-\u201f\u2026\u202f\u2032\u2033\u205f\u2060\u3000\ufeff]/;
const QUOTE = /^\s{0,3}>(?: |(?=>)|$)/;

function entity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name] ?? whole;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
}
