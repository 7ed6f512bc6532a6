/** The change of an attribute in one line, and back: `version: v1.35.7 -> v1.36.0`. */

export interface ValueChange {
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
}

const ARROW = ' -> ';

export function changeText({ attribute, from, to }: ValueChange): string {
  return `${attribute.replace(/\s/g, '_')}: ${withoutArrow(from)}${ARROW}${withoutArrow(to)}`;
}

/** Undefined if the text is no change. */
export function readChangeText(text: string): ValueChange | undefined {
  const [, attribute, from, to] = /^(\S+): (.*?) -> (.*)$/s.exec(text) ?? [];
  return attribute === undefined || from === undefined || to === undefined ? undefined : { attribute, from, to };
}

/** A value that holds the arrow could not be read back. */
function withoutArrow(value: string): string {
  return value.replaceAll(ARROW, ' to ');
}
