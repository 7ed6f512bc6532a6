/** The result of a command as data: `-o yaml`. */
import { stringify } from 'yaml';
import { hasHidden, unicodeEscaped } from '../base/visible-text.ts';

export function renderYaml(found: object): string {
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  // Via JSON, which drops what cannot be serialised; a lone surrogate must not reach a UTF-8 stream.
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
