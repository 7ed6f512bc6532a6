/** What happens to every process: blips of the API server, and scrapes that fail for a while. */
import { layReconnect } from './bursts.ts';
import { MINUTES_PER_DAY, type Course } from './course.ts';
import type { Setting } from './healthy-scenarios.ts';

export function layBackground(course: Course, { traits, dice, events }: Setting): void {
  const strength = traits.kind === 'kubelet' ? 0.4 : 0.1;
  for (const at of events.blips) layReconnect(course, traits, at - course.fleetMinute, strength, dice);
  const gaps = dice.poisson(course.minutes / (3 * MINUTES_PER_DAY));
  for (let i = 0; i < gaps; i++) {
    const from = dice.uniform(0, course.minutes);
    course.gaps.push([from, from + dice.logUniform(3, 60)]);
  }
}
