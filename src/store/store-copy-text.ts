/** What `oakum store copy` copied, or `oakum store verify` found. */
import { formatBytes } from '../base/say.ts';
import { table } from '../base/text-layout.ts';

export interface StoreCopyResult {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly digest: string }[];
  readonly evidence: {
    readonly files: number;
    readonly bytes: number;
    readonly missing: readonly string[];
    readonly damaged: readonly string[];
  };
  /** Profiles that the rows name, and that were not copied. */
  readonly left: number;
}

const SHOWN_DIGITS = 16;

export function storeCopyText({ tables, evidence, left }: StoreCopyResult): string {
  const lines: string[] = [];
  if (tables.length > 0) {
    const rows = tables.map(one => [one.table, String(one.rows), one.digest.slice(0, SHOWN_DIGITS)]);
    lines.push(...table(['TABLE', 'ROWS', 'DIGEST'], rows), '');
  }
  const { files, bytes, missing, damaged } = evidence;
  if (left > 0) lines.push(`profiles: ${left} stay where they are; --evidence-to copies them`);
  else lines.push(`profiles: ${files} (${formatBytes(bytes)}), ${missing.length} missing, ${damaged.length} damaged`);
  for (const sha256 of missing) lines.push(`  missing ${sha256}`);
  for (const sha256 of damaged) lines.push(`  damaged ${sha256}`);
  return `${lines.join('\n')}\n`;
}
