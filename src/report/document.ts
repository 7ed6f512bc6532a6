/**
 * What a report says, before it is text or Markdown: sections of headlines, named facts, lists, tables and code.
 * `print-text.ts` and `markdown.ts` print it.
 *
 *     text                                    Markdown
 *     LEAK  the kubelet leaks goroutines      **LEAK**: the kubelet leaks goroutines
 *
 *     1. LEAK  goroutines  node/a             ### 1. leak: goroutines of `node/a`
 *        now      1,011 goroutines            - **now**: 1,011 goroutines
 */
import type { Verdict } from '../judge/verdict.ts';

/** Sections are apart by a blank line; in Markdown every block is. */
export type Document = readonly (readonly Block[])[];

/** A string is prose, which Markdown escapes; the printers make it visible. */
export type Span =
  | string
  | { readonly code: string }
  /** Amounts in Oakum's own words, which Markdown need not escape. */
  | { readonly own: string }
  | { readonly strong: string }
  | { readonly faint: string }
  | { readonly verdict: Verdict; readonly tag: string };

export type Words = Span | readonly Span[];

export function spansOf(words: Words): readonly Span[] {
  return typeof words === 'object' && 'length' in words ? words : [words];
}

export type Block = Only & (Headline | Finding | More | Title | Line | Facts | List | Table | Code);

/** Set where the other form says it differently or not at all. */
interface Only {
  readonly only?: 'text' | 'markdown';
}

/** The answer with its reasons. */
interface Headline {
  readonly kind: 'headline';
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** Named only in Markdown, which may be read far from the command line. */
  readonly target?: string;
}

/** The first lines of a finding; facts follow. */
interface Finding {
  readonly kind: 'finding';
  readonly number: number;
  readonly verdict: Verdict;
  readonly resource: string;
  readonly target: string;
  readonly title: string;
  /** Printed after a title that is cut to the width; null for a whole title, '' without an id. */
  readonly id: string | null;
}

/** Findings left out, a line each. */
interface More {
  readonly kind: 'more';
  readonly head: string;
  readonly items: readonly { readonly text: string; readonly id: string }[];
  readonly rest: number;
}

interface Title {
  readonly kind: 'title';
  readonly level: 2 | 3;
  readonly words: Words;
}

/** Printed as it is, without wrapping. */
interface Line {
  readonly kind: 'line';
  readonly words: Words;
  readonly indent?: number;
}

interface Facts {
  readonly kind: 'facts';
  readonly indent: number;
  readonly nameWidth: number;
  readonly facts: readonly Fact[];
}

export interface Fact extends Only {
  readonly name: Span;
  /** The name in Markdown, if it is another. */
  readonly title?: string;
  /** Lines below each other; one line in Markdown. */
  readonly values: readonly Words[];
  /** The lines are items of a list. */
  readonly listed?: boolean;
  /** Commands are never wrapped, so that they can be copied. */
  readonly isCommand?: boolean;
  /** More items that only text has. */
  readonly notes?: readonly string[];
  /** Reasons: more lines in text, a list below the item in Markdown. */
  readonly because?: readonly string[];
  /**
   * How Markdown shows it; `item` by default.
   *
   *     item       - **name**: a; b
   *     each       - name: a        (and an item for b)
   *     paragraph  **name**: a; b
   *     list       name:            (and a list of a and b)
   */
  readonly markdown?: 'item' | 'each' | 'paragraph' | 'list';
}

interface List {
  readonly kind: 'list';
  readonly title?: string;
  /** How text shows items: with a dash, or without; or first the commands in a column, then the words. */
  readonly text: 'dashes' | 'plain' | 'commands';
  readonly items: readonly { readonly words: Words; readonly command?: string }[];
}

interface Table {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  /** A row may end early. */
  readonly rows: readonly (readonly Words[])[];
  /** Spaces around the dashes below a header in Markdown. */
  readonly spaced?: boolean;
}

interface Code {
  readonly kind: 'code';
  readonly title: string;
  readonly indent: number;
  readonly lines: readonly string[];
}

interface Column extends Only {
  readonly name: string;
  readonly isNumber?: boolean;
}
