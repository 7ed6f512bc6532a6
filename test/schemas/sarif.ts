/**
 * SARIF 2.1.0 (OASIS standard), the part of its schema that a tool needs which reports results with places and stacks.
 * Sections are those of the standard.
 */
import { anything, type Check, integerFrom, listOf, mapOf, matching, object, oneOf, text } from './shape.ts';

const GUID = matching(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);
const URI_REFERENCE = matching(
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?#[\]]|%[0-9A-Fa-f]{2})*$/,
);
const properties: Check = object({ tags: listOf(text) });
/** §3.8: a property bag may hold anything; tags are strings. */
const bag: Check = (value, at, problems) => {
  const { tags, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (tags !== undefined) properties({ tags }, at, problems);
  mapOf(anything)(rest, at, problems);
};
/** §3.11: text or id. */
const message: Check = (value, at, problems) => {
  object({ text, markdown: text, id: text, arguments: listOf(text), properties: bag })(value, at, problems);
  const { text: own, id } = (value ?? {}) as Record<string, unknown>;
  if (own === undefined && id === undefined) problems.push(`${at}: has neither text nor id`);
};
/** §3.12 */
const multiformat = object({ 'text!': text, markdown: text, properties: bag });
/** §3.4 */
const artifactLocation = object({
  uri: URI_REFERENCE,
  uriBaseId: text,
  index: integerFrom(-1),
  description: message,
  properties: bag,
});
/** §3.30: lines and columns count from 1. */
const region = object({
  startLine: integerFrom(1),
  startColumn: integerFrom(1),
  endLine: integerFrom(1),
  endColumn: integerFrom(1),
  charOffset: integerFrom(-1),
  charLength: integerFrom(0),
  message,
  properties: bag,
});
/** §3.29 */
const physicalLocation = object({ artifactLocation, region, contextRegion: region, properties: bag });
/** §3.33 */
const logicalLocation = object({
  name: text,
  index: integerFrom(-1),
  fullyQualifiedName: text,
  decoratedName: text,
  parentIndex: integerFrom(-1),
  kind: text,
  properties: bag,
});
/** §3.28 */
const location = object({
  id: integerFrom(-1),
  physicalLocation,
  logicalLocations: listOf(logicalLocation),
  message,
  properties: bag,
});
/** §3.44, §3.45 */
const stack = object({
  message,
  'frames!': listOf(
    object({ location, module: text, threadId: integerFrom(0), parameters: listOf(text), properties: bag }),
  ),
  properties: bag,
});
const LEVEL = oneOf('none', 'note', 'warning', 'error');
/** §3.27 */
const result = object({
  ruleId: text,
  ruleIndex: integerFrom(-1),
  guid: GUID,
  kind: oneOf('notApplicable', 'pass', 'fail', 'review', 'open', 'informational'),
  level: LEVEL,
  'message!': message,
  locations: listOf(location),
  relatedLocations: listOf(location),
  stacks: listOf(stack),
  fingerprints: mapOf(text),
  partialFingerprints: mapOf(text),
  occurrenceCount: integerFrom(1),
  properties: bag,
});
/** §3.49 */
const rule = object({
  'id!': text,
  name: text,
  shortDescription: multiformat,
  fullDescription: multiformat,
  help: multiformat,
  helpUri: URI_REFERENCE,
  defaultConfiguration: object({ enabled: oneOf(true, false), level: LEVEL, rank: anything, properties: bag }),
  properties: bag,
});
/** §3.19 */
const component = object({
  'name!': text,
  version: text,
  semanticVersion: text,
  fullName: text,
  organization: text,
  informationUri: matching(/^https?:\/\/\S+$/),
  rules: listOf(rule),
  properties: bag,
});
/** §3.14 */
const run = object({
  'tool!': object({ 'driver!': component, extensions: listOf(component), properties: bag }),
  results: listOf(result),
  originalUriBaseIds: mapOf(artifactLocation),
  columnKind: oneOf('utf16CodeUnits', 'unicodeCodePoints'),
  properties: bag,
});
/** §3.13 */
const log = object({
  $schema: matching(/^https?:\/\/\S+$/),
  'version!': oneOf('2.1.0'),
  'runs!': listOf(run),
  properties: bag,
});

/** Problems, one line each; none if it is valid. */
export function sarifProblems(value: unknown): string[] {
  const problems: string[] = [];
  log(value, '$', problems);
  if (problems.length > 0) return problems;
  // §3.27.6: ruleIndex is the place of the rule with ruleId.
  type Run = { tool: { driver: { rules?: { id: string }[] } }; results?: { ruleId?: string; ruleIndex?: number }[] };
  for (const { tool, results = [] } of (value as { runs: Run[] }).runs) {
    for (const { ruleId, ruleIndex } of results) {
      const found = ruleIndex === undefined || ruleIndex < 0 ? undefined : tool.driver.rules?.[ruleIndex]?.id;
      if (ruleIndex !== undefined && found !== ruleId) problems.push(`rule ${ruleIndex} is ${found}, not ${ruleId}`);
    }
  }
  return [...problems, ...codeScanningProblems(value)];
}

/**
 * What GitHub's code scanning asks for beyond the schema. It refuses a whole log if a result has no place:
 * github/codeql-action#1738.
 */
function codeScanningProblems(value: unknown): string[] {
  type Place = { physicalLocation?: { artifactLocation?: { uri?: string } } };
  type Rule = { id: string; fullDescription?: object; help?: object };
  type Run = { tool: { driver: { rules?: Rule[] } }; results?: { ruleId?: string; locations?: Place[] }[] };
  return (value as { runs: Run[] }).runs.flatMap(({ tool, results = [] }) => [
    ...results
      .filter(({ locations = [] }) => !locations.some(one => one.physicalLocation?.artifactLocation?.uri))
      .map(({ ruleId }) => `a result of ${ruleId} has no place`),
    ...(tool.driver.rules ?? [])
      .filter(({ fullDescription, help }) => fullDescription === undefined || help === undefined)
      .map(({ id }) => `${id} has no fullDescription or no help`),
  ]);
}
