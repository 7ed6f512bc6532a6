/**
 * What takes longer than the event loop may stand still: the detector over the whole fleet, and profiles. The command
 * line runs it in a thread of its own; tests run it where they are.
 */
import { createFleetDetector, type DetectorOptions } from '../../analysis/detect/fleet-detector.ts';
import { familiesOf } from '../../analysis/families/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { privateModules } from '../../redaction/names/code-names.ts';
import { Redactor } from '../../redaction/names/redactor.ts';
import type { Analysis } from '../../model/analysis.ts';
import type { CaptureManifest } from '../../model/capture.ts';
import type { TargetVerdict } from '../../model/detection.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { PileItem } from '../../model/pile.ts';
import { renderIssue } from '../../report/issue-render.ts';
import { analyzePile } from '../../diagnosis/process/analyze-pile.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import { buildBundle, type BundlePorts } from '../bundle/build-bundle.ts';
import { redactedItems } from '../../redaction/redact-pile.ts';
import { gatherFacts } from '../../diagnosis/issue/gather-facts.ts';
import type { ReportAudience } from './watch-service.ts';

export interface Background {
  observe(rows: readonly DetectorRow[]): void;
  /** Resolves when everything that was given before has been taken in. */
  settle(): Promise<void>;
  /** Forgets all samples and verdicts. */
  reset(): void;
  evaluate(at: number): Promise<readonly TargetVerdict[]>;
  analyze(evidence: Evidence): Promise<Analysis>;
  /** A redacted bundle. Throws an Error that says why there is none. */
  bundle(evidence: Evidence): Promise<Uint8Array>;
  report(evidence: Evidence, audience: ReportAudience): Promise<string>;
  close(): Promise<void>;
}

export interface DetectorRow {
  readonly target: string;
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

/** What there is of one target. */
export interface Evidence {
  readonly captures: readonly CaptureEvidence[];
  /** Its samples as metrics text, a marked scrape for each; '' when there are none. */
  readonly metricsText: string;
}

export interface CaptureEvidence {
  readonly manifest: CaptureManifest;
  /** As stored; names are those of the manifest. */
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

export interface BackgroundOptions {
  readonly detector: DetectorOptions;
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
  /** Anew for each bundle: its key is its own. */
  readonly ports: () => BundlePorts;
}

const ROOT = '/evidence';

export function inProcessBackground(options: BackgroundOptions): Background {
  const { catalogue, oakumVersion } = options;
  let detector = createFleetDetector(options.detector);
  const items = (evidence: Evidence): AsyncGenerator<PileItem> => evidenceItems(evidence, options.ports());
  return {
    observe: rows => {
      for (const { target, at, values } of rows) detector.observe(target, at, values);
    },
    settle: async () => {},
    reset: () => void (detector = createFleetDetector(options.detector)),
    evaluate: async at => detector.evaluate(at),
    analyze: async evidence =>
      analyzePile(await readPile(items(evidence), { families: familiesOf, keepStacks: false }), { catalogue }),
    bundle: async evidence => {
      const result = await buildBundle(
        {
          items: () => items(evidence),
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
      throw new Error(result.kind === 'refused' ? result.problem : 'nothing there can go into a bundle');
    },
    report: async (evidence, audience) => {
      const redacted = audience !== 'incident';
      const redactor = new Redactor(options.ports().digests.keyedHash, { isPrivate: privateModules([]) });
      const seen = redacted ? redactedItems(items(evidence), [ROOT], redactor) : items(evidence);
      const facts = await gatherFacts(seen, { catalogue, operations: undefined, oakumVersion, redacted });
      return renderIssue(facts, audience);
    },
    close: async () => {},
  };
}

/** Captures as the folders that `oakum capture` would have left, and the samples beside them. */
async function* evidenceItems(evidence: Evidence, { archive }: BundlePorts): AsyncGenerator<PileItem> {
  const { captures, metricsText } = evidence;
  const member = (path: string, bytes: Uint8Array): PileItem => ({
    kind: 'member',
    path: `${ROOT}/${path}`,
    bytes,
    mtimeSeconds: undefined,
    damage: undefined,
  });
  for (const [i, { manifest, files }] of captures.entries()) {
    const folder = `capture-${i + 1}`;
    yield member(`${folder}/MANIFEST.json`, encodeText(JSON.stringify(manifest)));
    // Beside a manifest, so that it is known whose they are.
    if (i === 0 && metricsText !== '') yield member(`${folder}/metrics-history.prom`, encodeText(metricsText));
    for (const { name, bytes } of files) yield member(`${folder}/${name}`, archive.gunzip(bytes));
  }
}
