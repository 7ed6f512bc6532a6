/**
 * Hides names. A bundle has one redactor, so that equal originals stay equal everywhere in it.
 *
 *     worker-17  ->  redacted-kqzjxabcdef      HMAC of the original under the bundle's key, as letters
 *
 * Letters only, so that no token looks like a time, a number or a version. Text that is already hidden stays as it is:
 * redacting twice changes nothing.
 */
export const REDACTION_KINDS = [
  'label',
  'name',
  'address',
  'url',
  'path',
  'module',
  'text',
  'type',
  'argument',
] as const;

export type RedactionKind = (typeof REDACTION_KINDS)[number];

export interface RedactorOptions {
  /** Whether the packages of this path are private. */
  readonly isPrivate?: (packagePath: string) => boolean;
}

/** A keyed hash of at least 8 bytes. */
export type KeyedHash = (text: string) => Uint8Array;

const HIDDEN = /^redacted[-_][a-z]{11}$/;
const LETTERS = 11;

export class Redactor {
  private readonly hash: KeyedHash;
  private readonly isPrivatePackage: (packagePath: string) => boolean;
  private readonly tokens = new Map<string, string>();
  private readonly kinds = new Map<string, RedactionKind>();
  private readonly replaced = new Map<RedactionKind, number>();
  private readonly publicTexts = new Set<string>();

  constructor(hash: KeyedHash, options: RedactorOptions = {}) {
    this.hash = hash;
    this.isPrivatePackage = options.isPrivate ?? (() => false);
  }

  /** The replacement of `text`; '' stays ''. */
  hide(kind: RedactionKind, text: string): string {
    if (text === '' || isHidden(text)) return text;
    this.count(kind);
    const known = this.tokens.get(text);
    if (known !== undefined) return known;
    const token = `redacted-${letters(this.hash(text))}`;
    this.tokens.set(text, token);
    this.kinds.set(text, kind);
    return token;
  }

  /** Notes a text that is removed without a replacement. */
  remove(kind: RedactionKind, text: string): void {
    if (text === '' || isHidden(text)) return;
    this.count(kind);
    if (!this.kinds.has(text)) this.kinds.set(text, kind);
  }

  count(kind: RedactionKind, times = 1): void {
    if (times > 0) this.replaced.set(kind, (this.replaced.get(kind) ?? 0) + times);
  }

  /** Notes that a text stays, because it comes from code or a fixed vocabulary; returns it. */
  keep(text: string): string {
    this.publicTexts.add(text);
    return text;
  }

  isPrivate(packagePath: string): boolean {
    return this.isPrivatePackage(packagePath);
  }

  /** Everything that was hidden or removed, with its kind. */
  get originals(): ReadonlyMap<string, RedactionKind> {
    return this.kinds;
  }

  /** How often each kind was replaced. */
  get replacements(): ReadonlyMap<RedactionKind, number> {
    return this.replaced;
  }

  /** Texts that stay because they are public. */
  get kept(): ReadonlySet<string> {
    return this.publicTexts;
  }
}

export function isHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** The first 8 bytes in base 26. */
function letters(hash: Uint8Array): string {
  let value = 0n;
  for (const byte of hash.subarray(0, 8)) value = (value << 8n) | BigInt(byte);
  let out = '';
  for (let i = 0; i < LETTERS; i++) {
    out += String.fromCharCode(97 + Number(value % 26n));
    value /= 26n;
  }
  return out;
}
