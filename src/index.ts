/**
 * The library: what `import ... from 'oakum'` gives. Works in Node and in browsers; input is uncompressed.
 *
 *     const { profile, format } = readProfile(bytes);
 *     const folded = writeFolded(profile);
 *     const families = familiesOfHeap(profile);
 */
export { createFleetDetector } from './analysis/detect/fleet-detector.ts';
export type { DetectorOptions } from './analysis/detect/state/options.ts';
export { familiesOfDump } from './analysis/families/dump-families.ts';
export { creationTree } from './analysis/families/creation-tree.ts';
export { familiesOfHeap } from './analysis/families/heap-families.ts';
export { joinLabels } from './analysis/families/join-labels.ts';
export { familiesOfGoroutineProfile } from './analysis/families/profile-families.ts';
export { familyGrowth, type GrowthInput, type GrowthOptions } from './analysis/growth/family-growth.ts';
export { FormatError } from './base/errors.ts';
export type { Int64Column } from './base/int64.ts';
export { BUNDLED_LEAKS } from './catalogue/bundled.ts';
export { matchFamily } from './catalogue/match.ts';
export { writeFolded, type FoldedOptions } from './formats/folded/write.ts';
export { encodeProfile } from './formats/pprof/encode.ts';
export { readAny as readProfile, type Reading, type ReadOptions } from './formats/read.ts';
export type { ProfileFormatName } from './formats/registry.ts';
export { writeSpeedscope, type SpeedscopeOptions } from './formats/speedscope/write.ts';
export type {
  FunctionTable,
  LabelTable,
  LineTable,
  LocationTable,
  Mapping,
  Profile,
  SampleTable,
  ValueType,
} from './model/profile.ts';
export type {
  AttributeChange,
  Attributes,
  CohortAlternative,
  CohortVerdict,
  CohortVeto,
  CounterExample,
  OnsetCandidate,
  RateInterval,
} from './model/cohort.ts';
export type {
  Explanation,
  FleetDetector,
  Interval,
  LeakClock,
  ResourceVerdict,
  TargetVerdict,
} from './model/detection.ts';
export type { Family, FamilyCount, FamilyTable } from './model/family.ts';
export type { GoroutineDump } from './model/goroutine-dump.ts';
export type { Growth } from './model/growth.ts';
export type { KnownLeak, Match } from './model/known-leak.ts';
export type { Plan } from './model/plan.ts';
export type { PlanRecord } from './model/plan-log.ts';
export type { PlanStep } from './model/plan-step.ts';
export type { Resource } from './model/resource.ts';
export { readPlan, stepsOf } from './plan/file/read-plan.ts';
export { planYaml } from './report/plan-yaml.ts';
