/**
 * Symbols made to fit, shortened from the left: where a function lies says less than what it is called.
 *
 *     k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync
 *                           kubelet.(*podWorkers).startPodSync
 *                                   (*podWorkers).startPodSync
 *                                                 startPodSync
 *                                                 startPo…
 */
import { visible } from '../../src/base/visible-text.ts';
import { shortenFunctionName } from '../../src/pprof/units/short-name.ts';

const TYPE_ARGUMENTS = /\[[^\]]*\](?:[^\[\].]*\])*/g;
/** The last name, with the numbers of the closures in it. */
const LAST_NAME = /[^.:]+(?:\.(?:func|gowrap|deferwrap)?\d+)*$/;

const MAX_NAME = 4096;
const shortNames = new Map<string, string>();

/** With the last element of its package only. */
export function shortSymbol(name: string): string {
  let short = shortNames.get(name);
  if (short === undefined) {
    const whole = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    short = visible(shortenFunctionName(whole).replace(TYPE_ARGUMENTS, '[…]'));
    if (shortNames.size > 100_000) shortNames.clear();
    shortNames.set(name, short);
  }
  return short;
}

/** In at most `room` characters; '' when not even two would show. */
export function fitSymbol(name: string, room: number): string {
  const short = shortSymbol(name);
  if (short.length <= room) return short;
  const dot = short.indexOf('.');
  const inPackage = dot > 0 ? short.slice(dot + 1) : short;
  if (inPackage.length <= room) return inPackage;
  const last = LAST_NAME.exec(short)?.[0] ?? short;
  if (last.length <= room) return last;
  return room < 3 ? '' : `${last.slice(0, room - 1)}…`;
}
