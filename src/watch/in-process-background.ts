/** The background work of a watch in this process; the command line runs it in its own thread. */
import type { Background } from './background.ts';
import { createFleetDetector } from '../judge/detect/fleet-detector.ts';
import type { DetectorOptions } from '../judge/detect/options.ts';
import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { privateModules } from '../evidence/redaction/code-names.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import type { FleetDetector } from '../judge/detect/detection.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';
import type { PileItem } from '../evidence/pile.ts';
import { renderIssue } from '../report/issue/render.ts';
import { analyzePile } from '../judge/process/analyze-pile.ts';
import type { Pile } from '../evidence/snapshots/read-pile.ts';
import { readTargetEvidence, evidenceFiles } from '../evidence/snapshots/read-target-evidence.ts';
import { buildBundle } from '../report/build-bundle.ts';
import { redactedItems } from '../evidence/redaction/redact-pile.ts';
import { gatherFacts, type IssuePile, readIssuePile, EnvironmentReader } from '../report/issue/gather-facts.ts';
import type { BundlePorts } from '../evidence/bundle.ts';
import type { TargetEvidence } from '../evidence/capture.ts';

export interface BackgroundOptions {
  readonly detector: DetectorOptions;
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
  /** Called for each bundle, which has its own key. */
  readonly ports: () => BundlePorts;
}

const ROOT = '/evidence';

export function inProcessBackground(options: BackgroundOptions): Background {
  const { catalogue, oakumVersion } = options;
  const detector = createFleetDetector(options.detector);
  let replay: FleetDetector | undefined;
  const pileOf = (evidence: TargetEvidence): Pile =>
    readTargetEvidence(evidence, options.ports().archive.gunzip, { families: familiesOf, keepStacks: false });
  const files = (evidence: TargetEvidence): AsyncGenerator<PileItem> =>
    evidenceFiles(evidence, ROOT, options.ports().archive.gunzip);
  const issuePile = (evidence: TargetEvidence): IssuePile => ({
    pile: pileOf(evidence),
    captures: evidence.captures.map(({ manifest }) => manifest),
    environment: new EnvironmentReader().finish(),
  });
  // Redaction works on files, as in `oakum bundle`.
  const redactedPile = (evidence: TargetEvidence): Promise<IssuePile> => {
    const redactor = new Redactor(options.ports().digests.keyedHash, { isPrivate: privateModules([]) });
    return readIssuePile(redactedItems(files(evidence), [ROOT], redactor));
  };
  return {
    observe: rows => {
      for (const { target, at, values } of rows) detector.observe(target, at, values);
    },
    describe: rows => {
      for (const { target, at, attributes } of rows) detector.describe(target, attributes, at);
    },
    settle: async () => {},
    forget: targets => {
      for (const target of targets) detector.forget(target);
    },
    replay: {
      observe: rows => {
        replay ??= createFleetDetector(options.detector);
        for (const { target, at, values } of rows) replay.observe(target, at, values);
      },
      evaluate: async at => void replay?.evaluate(at),
      join: () => {
        if (replay !== undefined) detector.adopt(replay);
        replay = undefined;
      },
    },
    evaluate: async at => detector.evaluate(at),
    cohorts: async (at, proved) => {
      const known = new Set(proved.map(({ target, resource }) => `${target}\0${resource}`));
      return detector.evaluateCohorts(at, (target, resource) => known.has(`${target}\0${resource}`));
    },
    analyze: async evidence => analyzePile(pileOf(evidence), { catalogue }),
    bundle: async evidence => {
      const result = await buildBundle(
        {
          items: () => files(evidence),
          roots: [ROOT],
          output: '/bundle',
          redact: true,
          includeUnknown: false,
          privateModules: [],
          catalogue,
          oakumVersion,
        },
        options.ports(),
      );
      if (result.kind === 'made') return result.bytes;
      throw new Error(result.kind === 'refused' ? result.problem : 'there is nothing to put into a bundle');
    },
    report: async (evidence, audience) => {
      const redacted = audience !== 'incident';
      const facts = gatherFacts(redacted ? await redactedPile(evidence) : issuePile(evidence), {
        catalogue,
        operations: undefined,
        oakumVersion,
        redacted,
      });
      return renderIssue(facts, audience);
    },
    close: async () => {},
  };
}
