/** A Go regular expression that matches this text only; '' for ''. */
export function exactly(text: string): string {
  return text === '' ? '' : `^${text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')}$`;
}
