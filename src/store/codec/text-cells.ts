/**
 * PostgreSQL's text has no NUL, and no half of a pair of surrogates. Those that come from outside are replaced, the same
 * when text is written and when it is looked up.
 */
export function storable(text: string): string {
  return /[\0\p{Surrogate}]/u.test(text) ? text.replaceAll('\0', '\u2400').replace(/\p{Surrogate}/gu, '\ufffd') : text;
}
