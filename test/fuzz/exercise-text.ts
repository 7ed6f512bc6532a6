/**
 * Texts that people and servers write: plans, attributes, budgets, the catalogue, answers of a Prometheus and of S3. Each
 * reads it or refuses it in lines that can be acted on. A plan is sealed again, so that more than its hash is tried.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkPlan, planFile, planYaml, readPlan } from '../../src/act/plan/plan-file.ts';
import { FormatError, Failure } from '../../src/base/errors.ts';
import { decodeText, encodeText } from '../../src/base/text.ts';
import { readRangeQuery } from '../../src/evidence/formats/range-query.ts';
import { readAttributeFile } from '../../src/evidence/read-attribute-file.ts';
import { readBudget } from '../../src/gate/budget-file.ts';
import { readKnowledge } from '../../src/knowledge/read-knowledge.ts';
import { judge } from '../../src/store/io/s3-answer.ts';
import { ROOT } from '../conformance/places.ts';
import { resealed, sha256, smallPlan, SMALL_DRAIN } from '../double/small-plan.ts';
import type { Specimen } from './corpus.ts';
import { crash, isOneLine, type Outcome } from './outcome.ts';

const ACT = { to: 'act', oakumVersion: '0.1.0', template: null } as const;

export function textSpecimens(): readonly Specimen[] {
  const texts: Readonly<Record<string, string>> = {
    plan: planYaml(smallPlan()),
    'plan of two': planYaml(smallPlan(['a', 'b'], { drain: SMALL_DRAIN })),
    'plan as JSON': JSON.stringify(planFile(smallPlan())),
    attributes: 'target,zone,pool\nnode/worker-1,eu-1a,batch\nworker-2,"eu,1b",web\n',
    'attributes as JSON': '[{"target":"node/worker-1","at":1794772585,"zone":"eu-1a"}]',
    budget: 'baseline: old.yaml\nbudgets:\n  - resource: goroutines\n    max: "1"\n    per: hour\nexceptions: []\n',
    leak: readFileSync(join(ROOT, 'src/knowledge/leaks/apiserver-bookmark-buckets.yaml'), 'utf8'),
    prometheus:
      '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"x","a":"b"},"values":[[1794772585,"5"],[1794772645.5,"NaN"]]}]}}',
    s3: '<?xml version="1.0"?><Error><Code>AuthorizationHeaderMalformed</Code><Message>a &amp; b</Message><Region>eu-1</Region></Error>',
  };
  return Object.entries(texts).map(([name, text]) => ({ name, bytes: encodeText(text) }));
}

/** What reads a text, each with what it says is wrong. */
const READERS: Readonly<Record<string, (text: string, bytes: Uint8Array) => readonly string[]>> = {
  plan: (_, bytes) => {
    readPlan(bytes, 'plan.yaml', sha256, ACT);
    return [];
  },
  'sealed plan': text => {
    checkPlan(
      resealed(objectIn(text), () => {}),
      'the plan',
      sha256,
      ACT,
    );
    return [];
  },
  attributes: text => {
    readAttributeFile(text, 'attributes');
    return [];
  },
  budget: text => readBudget(objectIn(text), 'budget.yaml').problems,
  catalogue: text => readKnowledge(new Map([['leaks/x.yaml', text]])).problems,
  prometheus: (_, bytes) => {
    readRangeQuery(bytes);
    return [];
  },
  s3: (_, body) => {
    const known = { headAtSeconds: 0, dateSeconds: undefined, tookSeconds: 0, cut: undefined, headers: {} };
    const judged = judge({ kind: 'answer', status: 400, body, ...known });
    return 'why' in judged ? [judged.why] : [];
  },
};

/** YAML that cannot be read is refused before any of them. */
function objectIn(text: string): object {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0, logLevel: 'silent' });
  } catch (error) {
    throw new Failure('unreadable', 'not YAML', { cause: error });
  }
  return typeof value === 'object' && value !== null ? value : {};
}

export function exerciseText(bytes: Uint8Array): Outcome {
  const text = decodeText(bytes);
  let isRead = false;
  for (const [name, read] of Object.entries(READERS)) {
    try {
      const problems = read(text, bytes);
      const odd = problems.find(line => !isOneLine(line));
      if (odd !== undefined) throw new Error(`bug: several lines: ${odd}`);
      isRead ||= problems.length === 0;
    } catch (error) {
      const isRefusal = error instanceof Failure || error instanceof FormatError;
      if (!isRefusal || !isOneLine(error.message)) return crash(name, error);
    }
  }
  return isRead ? { kind: 'read', format: 'text' } : { kind: 'refused' };
}
