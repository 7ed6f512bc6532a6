/** A simulated process: what its scrapes show, and the truth about it. */
import type { Course } from './course.ts';
import type { Leak } from './leak.ts';
import type { ProcessTraits } from './process-traits.ts';
import type { Recording } from './recording.ts';
import type { Levels } from './settle.ts';

export interface Process {
  readonly scenario: string;
  readonly traits: ProcessTraits;
  readonly leak: Leak | undefined;
  readonly course: Course;
  /** Without the leak. */
  readonly levels: Levels;
  readonly recording: Recording;
}
