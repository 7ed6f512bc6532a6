/** PostgreSQL's text has no NUL. One that comes from outside is shown as the picture of it. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u2400') : text;
}
