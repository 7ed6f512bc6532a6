/** Code that runs once in the life of a process, so what it keeps does not grow. */
import type { HeapSite } from '../../profile/families/family.ts';
import { functionOf } from '../../profile/go-name/normalise.ts';

/**
 * Tables of types, metrics and routes, which programs fill at start. Not every `Register`: listeners that register and
 * never unregister are a leak.
 */
const REGISTRATION =
  /(?:^|\.)(?:AddToScheme|[aA]ddKnownTypes\w*|MustRegister\w*|Register(?:Conversions|Defaults|Type|\w+Server)|InstallREST)$/;

export function isOneTime({ isInit, frames }: HeapSite): boolean {
  return isInit || frames.some(frame => REGISTRATION.test(functionOf(frame)));
}
