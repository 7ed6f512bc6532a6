/** The analysis itself, `-o yaml`. */
import { stringify } from 'yaml';
import type { Analysis } from '../model/analysis.ts';
import { hasHidden, unicodeEscaped } from './visible-text.ts';

export function renderYaml(analysis: Analysis): string {
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  // JSON first: it drops what cannot be serialised, and a lone surrogate must not reach a UTF-8 stream.
  const plain = JSON.parse(JSON.stringify(analysis)) as unknown;
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
