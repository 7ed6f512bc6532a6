/** JUnit XML: one suite per gate, one case per budget; leaking families are in the failure. */
import { visible } from '../../base/visible-text.ts';
import { type GateFamily, type GateMeasure, type GateResult, isLeak } from '../gate.ts';
import { measureGrowth, measureName } from './gate-amounts.ts';
import { familyLines } from './gate-document.ts';

export function gateJunit(result: GateResult): string {
  const cases = [
    ...result.measures.map(measure => caseOf(measure, result)),
    ...familyCases(result),
    ...exceptionCase(result),
  ];
  const count = (kind: Case['kind']): number => cases.filter(one => one.kind === kind).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="0"`;
  const { target, rounds, operations, outcome, comparedWith, evidence } = result;
  const properties = { rounds, operations, outcome, ...(comparedWith === null ? {} : { comparedWith }), evidence };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${attribute(`oakum gate ${target}`)}" ${counts} skipped="${count('skipped')}">`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([name, value]) => `      <property name="${name}" value="${attribute(String(value))}"/>`,
    ),
    '    </properties>',
    ...cases.map(one => caseText(one, target)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface Case {
  readonly name: string;
  readonly kind: 'passed' | 'failure' | 'skipped';
  readonly message: string;
  readonly text: string;
}

function caseOf(measure: GateMeasure, { families, outcome, sentence, operation }: GateResult): Case {
  const { resource, decision, per, scope } = measure;
  const growth = `${measureGrowth(measure)}${per === 'hour' ? '' : ` per ${operation}`}`;
  const name = `${measureName(measure)} per ${per === 'hour' ? 'hour' : operation}`;
  const own = families.filter(one => one.resource === resource && isLeak(one) && one.per === per);
  const isNamed = scope === null && own.length > 0;
  if (outcome === 'leaks' && (decision === 'leaks' || isNamed)) {
    const leaks = isNamed ? own.flatMap(one => ['', ...familyLines(one, operation), ...one.stack]) : [];
    return { name, kind: 'failure', message: sentence, text: [growth, ...leaks].map(visible).join('\n') };
  }
  const isOpen = decision === 'undecided';
  return { name, kind: isOpen ? 'skipped' : 'passed', message: isOpen ? `undecided: ${growth}` : '', text: '' };
}

/** Families of a resource that is not judged as a whole, because all of it is excepted. */
function familyCases({ measures, families, sentence, operation }: GateResult): Case[] {
  const isWhole = (one: GateFamily): boolean =>
    measures.some(({ scope, resource, per }) => scope === null && resource === one.resource && per === one.per);
  return families
    .filter(one => isLeak(one) && !isWhole(one))
    .map(one => {
      const text = [...familyLines(one, operation), ...one.stack].map(visible).join('\n');
      return { name: one.title, kind: 'failure', message: sentence, text };
    });
}

/** An exception that is over fails the gate, so it is a failure here as well. */
function exceptionCase({ expired }: GateResult): Case[] {
  const [first] = expired;
  return first === undefined
    ? []
    : [{ name: 'exceptions of the budget', kind: 'failure', message: first, text: expired.map(visible).join('\n') }];
}

function caseText({ name, kind, message, text }: Case, target: string): string {
  const head = `    <testcase classname="${attribute(`oakum gate ${target}`)}" name="${attribute(name)}"`;
  if (kind === 'passed') return `${head}/>`;
  if (kind === 'skipped') return `${head}>\n      <skipped message="${attribute(message)}"/>\n    </testcase>`;
  const data = text.replaceAll(']]>', ']]]]><![CDATA[>');
  return `${head}>\n      <failure type="leak" message="${attribute(message)}"><![CDATA[${data}]]></failure>\n    </testcase>`;
}

function attribute(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
