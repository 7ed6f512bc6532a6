/** The facts of a report: the analysis of a pile of evidence, and what its files say about captures and machines. */
import { decodeText } from '../../base/text.ts';
import { isCaptureManifest } from '../../redaction/formats/capture-manifest.ts';
import type { CaptureManifest } from '../../model/capture.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { PileItem } from '../../model/pile.ts';
import type { IssueFacts } from '../../model/issue-facts.ts';
import { analyzePile } from '../process/analyze-pile.ts';
import { familiesOf } from '../../analysis/families/families-of.ts';
import { type Pile, readPile } from '../../evidence/snapshots/read-pile.ts';
import { EnvironmentReader } from '../../evidence/node/environment.ts';
import { issueTargets } from './issue-targets.ts';

export interface GatherOptions {
  readonly catalogue: readonly KnownLeak[];
  readonly operations: number | undefined;
  readonly oakumVersion: string;
  readonly redacted: boolean;
}

/** A pile with what a report needs besides its analysis. */
export interface IssuePile {
  readonly pile: Pile;
  readonly captures: readonly CaptureManifest[];
  readonly environment: IssueFacts['environment'];
}

export async function readIssuePile(items: AsyncIterable<PileItem>): Promise<IssuePile> {
  const captures: CaptureManifest[] = [];
  const environment = new EnvironmentReader();
  const seen = async function* (): AsyncGenerator<PileItem> {
    for await (const item of items) {
      if (item.kind === 'member') {
        const value = smallJson(item.bytes);
        if (isCaptureManifest(value)) captures.push(value);
        else if (value !== undefined) environment.add(value);
      }
      yield item;
    }
  };
  const pile = await readPile(seen(), { families: familiesOf, keepStacks: false });
  return { pile, captures, environment: environment.finish() };
}

export function gatherFacts({ pile, captures, environment }: IssuePile, options: GatherOptions): IssueFacts {
  return {
    analysis: analyzePile(pile, { catalogue: options.catalogue, operations: options.operations }),
    targets: issueTargets(pile.snapshots),
    environment,
    captures,
    catalogueEntries: options.catalogue.length,
    oakumVersion: options.oakumVersion,
    redacted: options.redacted,
  };
}

/** Lists of all nodes of a large cluster are some MB. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

function smallJson(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_JSON_BYTES || !/^\s*\{/.test(decodeText(bytes, 0, 100))) return undefined;
  try {
    return JSON.parse(decodeText(bytes));
  } catch {
    return undefined;
  }
}
