/** What a command found, as it is: `-o yaml`. */
import { stringify } from 'yaml';
import { hasHidden, unicodeEscaped } from '../base/visible-text.ts';

export function renderYaml(found: object): string {
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  // JSON first: it drops what cannot be serialised, and a lone surrogate must not reach a UTF-8 stream.
  const plain = JSON.parse(JSON.stringify(found)) as unknown;
  const text = stringify(plain, options);
  if (!hasHidden(text.replaceAll('\n', ''))) return text;
  return unicodeEscaped(
    stringify(plain, {
      ...options,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'QUOTE_DOUBLE',
      blockQuote: false,
    }),
  );
}
