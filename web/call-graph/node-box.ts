/** The text and size of a node: its name in lines, its values, larger the more it holds itself. */
import { shortSymbol } from '../text/short-names.ts';
import { shareText, valueText } from '../text/value-text.ts';
import type { NodeSize } from './place-nodes.ts';

export interface NodeValues {
  readonly name: string;
  readonly flat: number;
  readonly cum: number;
}

export interface NodeBox extends NodeSize {
  readonly lines: readonly string[];
  readonly fontSize: number;
}

/** The width of a letter in a monospaced font, per pixel of its size. */
const CHARACTER = 0.61;
const LINE = 1.3;
const PADDING = 8;
const MAX_CHARACTERS = 34;

export function nodeBox(node: NodeValues, maxFlat: number, total: number, unit: string): NodeBox {
  // From 10 to 20 pixels; the square root keeps small nodes readable.
  const share = maxFlat === 0 ? 0 : Math.abs(node.flat) / maxFlat;
  const fontSize = 10 + Math.round(10 * Math.sqrt(share));
  const lines = [...nameLines(node.name), ...valueLines(node, total, unit)];
  const longest = Math.max(...lines.map(({ length }) => length));
  return {
    lines,
    fontSize,
    width: Math.ceil(longest * fontSize * CHARACTER + 2 * PADDING),
    height: Math.ceil(lines.length * fontSize * LINE + PADDING),
  };
}

/** `kubelet`, `(*podWorkers)`, `startPodSync`: at its dots, as pprof does. */
function nameLines(name: string): string[] {
  const parts = shortSymbol(name).split(/\.(?=[^.\]]*(?:\[|$|\.|\())/);
  return parts.filter(part => part !== '').map(part => cut(part));
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`;
}

function valueLines({ flat, cum }: NodeValues, total: number, unit: string): string[] {
  const text = (value: number): string => `${valueText(value, unit)} (${shareText(value, total) || '0 %'})`;
  if (flat === cum) return [text(flat)];
  return flat === 0 ? [`0 of ${text(cum)}`] : [text(flat), `of ${text(cum)}`];
}
