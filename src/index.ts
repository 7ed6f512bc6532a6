/**
 * The library: what `import ... from 'oakum'` gives. Works in Node and in browsers; input is uncompressed.
 *
 *     const { profile, format } = readProfile(bytes);
 *     const folded = writeFolded(profile);
 *     const families = familiesOfHeap(profile);
 */
export { createFleetDetector } from './judge/detect/fleet-detector.ts';
export type { DetectorOptions } from './judge/detect/options.ts';
export { familiesOfDump } from './profile/families/dump-families.ts';
export { creationTree } from './profile/families/creation-tree.ts';
export { familiesOfHeap } from './profile/families/heap-families.ts';
export { joinLabels } from './profile/families/join-labels.ts';
export { familiesOfGoroutineProfile } from './profile/families/profile-families.ts';
export { familyGrowth, type GrowthInput, type GrowthOptions } from './judge/growth/family-growth.ts';
export { FormatError } from './base/errors.ts';
export type { Int64Column } from './base/int64.ts';
export { BUNDLED_LEAKS } from './knowledge/bundled.ts';
export { matchFamily } from './knowledge/match.ts';
export { writeFolded, type FoldedOptions } from './profile/formats/write-folded.ts';
export { encodeProfile } from './profile/formats/pprof/encode.ts';
export { readAny as readProfile, type Reading, type ReadOptions } from './evidence/formats/read.ts';
export type { ProfileFormatName } from './evidence/formats/registry.ts';
export { writeSpeedscope, type SpeedscopeOptions } from './profile/formats/speedscope.ts';
export type {
  FunctionTable,
  LabelTable,
  LineTable,
  LocationTable,
  Mapping,
  Profile,
  SampleTable,
  ValueType,
} from './profile/profile.ts';
export type { Attributes } from './evidence/target.ts';
export type {
  AttributeChange,
  CohortAlternative,
  CohortVerdict,
  CohortVeto,
  CounterExample,
  OnsetCandidate,
  RateInterval,
} from './judge/cohorts/cohort-model.ts';
export type {
  Explanation,
  FleetDetector,
  Interval,
  LeakClock,
  ResourceVerdict,
  TargetVerdict,
} from './judge/detect/detection.ts';
export type { Family, FamilyCount, FamilyTable } from './profile/families/family.ts';
export type { GoroutineDump } from './profile/goroutine-dump.ts';
export type { Growth } from './judge/growth/growth.ts';
export type { KnownLeak } from './knowledge/known-leak.ts';
export type { Match } from './knowledge/known-leak-match.ts';
export type { Plan } from './act/plan/plan.ts';
export type { PlanRecord } from './store/plan-log.ts';
export type { PlanStep } from './act/plan/plan-step.ts';
export type { Resource } from './evidence/resource.ts';
export { planYaml, readPlan } from './act/plan/plan-file.ts';
export { stepsOf } from './act/plan/derive-plan.ts';
