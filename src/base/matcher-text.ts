/** Label matchers, as Prometheus, Pyroscope and Parca write them: `pod="kcp-0"`, `instance=~"(a|b)(:[0-9]+)?"`. */

/** A string in quotes. */
export function quotedText(text: string): string {
  return JSON.stringify(text);
}

/** A regular expression that matches just this text. */
export function regexpText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** `host:6060`, with the port that a URL leaves out. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** Without the braces around it, which people may leave out. */
export function withoutBraces(selector: string): string {
  return selector.trim().replace(/^\{|\}$/g, '');
}
