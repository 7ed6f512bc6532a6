/**
 * The library: what `import ... from 'oakum'` gives. Works in Node and in browsers; input is uncompressed.
 *
 *     const { profile, format } = readProfile(bytes);
 *     const folded = writeFolded(profile);
 */
export { FormatError } from './base/errors.ts';
export type { Int64Column } from './base/int64.ts';
export { writeFolded, type FoldedOptions } from './formats/folded/write.ts';
export { encodeProfile } from './formats/pprof/encode.ts';
export { readAny as readProfile, type FormatName, type Reading, type ReadOptions } from './formats/read.ts';
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
