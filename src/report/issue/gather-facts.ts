/** The facts for a report: the analysis of a pile of evidence, and what its files say about captures and machines. */
import { FileContent } from '../../evidence/formats/file-content.ts';
import { FORMATS, recogniseFormat } from '../../evidence/formats/registry.ts';
import type { CaptureManifest } from '../../evidence/capture.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { IssueFacts } from './issue-facts.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { type Pile, readPile } from '../../evidence/snapshots/read-pile.ts';
import { EnvironmentReader } from './environment.ts';
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
        const file = new FileContent(item.bytes);
        const format = recogniseFormat(file);
        if (format === 'capture-manifest') captures.push(FORMATS[format].read(file));
        else if (format === 'kubectl-json' && file.json !== undefined) environment.add(file.json);
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
