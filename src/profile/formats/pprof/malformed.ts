import { FormatError } from '../../../base/errors.ts';

/** A proto that is well formed but whose content breaks a rule: pprof says "malformed profile", and so do we. */
export class MalformedProfileError extends FormatError {}

/** Two profiles in one file. pprof refuses these without trying other formats. */
export class ConcatenatedProfilesError extends FormatError {}
