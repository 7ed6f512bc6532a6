/** The annotations that acting leaves on a node. */

/** The plan that is at work on it. */
export const PLAN_ANNOTATION = 'oakum.dev/plan';
/** The plan that cordoned it: only then does an undo uncordon it. */
export const CORDONED_ANNOTATION = 'oakum.dev/cordoned-by';
/** The last step and how it ended; removed at the end. */
export const STEP_ANNOTATION = 'oakum.dev/step';
/** When its kubelet was restarted last, and by which plan; stays, for the cool-down and the budget per hour. */
export const RESTARTED_ANNOTATION = 'oakum.dev/last-restart';

/** Who reports the Events of an apply. */
export const APPLY_CONTROLLER = 'oakum.dev/apply';
