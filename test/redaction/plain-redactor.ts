/** A redactor for tests, and its text with the originals put back: `<worker-17>`. */
import { encodeText } from '../../src/base/text.ts';
import { privateModules } from '../../src/evidence/redaction/code-names.ts';
import { Redactor } from '../../src/evidence/redaction/redactor.ts';

export function plainRedactor(patterns: readonly string[] = []): Redactor {
  return new Redactor(testHash, { isPrivate: privateModules(patterns) });
}

/** Any function of the text will do here. */
export function testHash(text: string): Uint8Array {
  const out = new Uint8Array(8);
  encodeText(text).forEach((byte, i) => (out[i % 8] = (out[i % 8] * 31 + byte + i) & 0xff));
  return out;
}

/** The text with each token replaced by its original. */
export function explain(text: string, redactor: Redactor): string {
  let out = text;
  for (const original of redactor.originals.keys()) {
    const token = redactor.hide('name', original);
    out = out.replaceAll(token, `<${original}>`).replaceAll(token.replace('-', '_'), `<${original}>`);
  }
  return out;
}
