/** The library: what `import ... from 'oakum'` gives. Works in Node and in browsers. */
export { FormatError } from './base/errors.ts';
export type { Int64Column } from './base/int64.ts';
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
