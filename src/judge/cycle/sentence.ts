/** The one-sentence summary of a target, and its reasons. */
import type { CycleStage } from '../../evidence/cycle/cycle.ts';
import { formatBytes, formatCount, timeText } from '../../base/say.ts';
import { type History, isForMemory } from './history.ts';
import { deathsOf } from './stage.ts';
import type { Storm } from './storm.ts';
import { durationText, rateText, secondsText, timesText, conditionText } from './phrases.ts';

export function sentenceOf(stage: CycleStage, history: History): string {
  const { phases, signs, names } = history;
  const last = phases.at(-1);
  switch (stage) {
    case 'unknown':
      return readyText(history) ?? `nothing here tells how the ${names.name} is`;
    case 'healthy':
      return `no OOM, no restart and no sign of either${runningText(history)}`;
    case 'pre-oom': {
      const sign = last?.sign ?? signs[0];
      const before = deathsOf(history).length === 0 ? '' : `; ${lastDeathText(history)}`;
      return `an OOM kill is near: ${sign?.text ?? ''}${before}`;
    }
    case 'killed': {
      const start = last?.life.death === undefined ? last?.life.startSeconds : undefined;
      const after =
        start === undefined
          ? 'not seen to start again'
          : `started again at ${timeText(start)}, nothing tells how it went on`;
      return `${lastDeathText(history)}; ${after}`;
    }
    case 'storm':
      return `${lastDeathText(history)}; restarted, and still in its reconciliation storm: ${stormText(last?.storm)}`;
    case 'recovered':
      return `${lastDeathText(history)}; ${recoveryText(history)}`;
    case 're-oom': {
      const deaths = deathsOf(history).filter(({ cause }) => isForMemory(cause));
      const times = deaths.flatMap(({ atSeconds }) => (atSeconds === null ? [] : [atSeconds]));
      const span =
        times.length < 2 ? '' : `, ${secondsText((times[times.length - 1] - times[0]) / (times.length - 1))} apart`;
      return `the ${names.name} was killed for memory ${timesText(deaths.length, 'time')}${span}: a restart only begins it anew; ${lastDeathText(history)}`;
    }
  }
}

/** What the node says about itself, if that is all there is. */
function readyText({ seen }: History): string | undefined {
  const ready = seen.conditions.findLast(({ type }) => type === 'Ready');
  if (ready === undefined) return undefined;
  const since = ready.sinceSeconds === undefined ? '' : ` since ${timeText(ready.sinceSeconds)}`;
  if (ready.status === 'True') return `the node is Ready${since}; that tells neither OOM kills nor restarts`;
  return conditionText(ready, since);
}

/** `the kubelet was ... at 2026-11-15T07:12:25Z` */
function lastDeathText(history: History): string {
  const death = deathsOf(history).at(-1);
  if (death === undefined) return `the ${history.names.name} is new`;
  const when = death.atSeconds === null ? '' : ` at ${timeText(death.atSeconds)}`;
  const verb = /^(?:OOM-killed|killed|stopped|out of)/.test(death.sentence) ? 'was ' : '';
  return `the ${history.names.name} ${verb}${withTime(death.sentence, when)}`;
}

/** Puts the time before the first explanation. */
function withTime(text: string, when: string): string {
  const at = text.search(/ \(|[:;]/);
  return at < 0 ? text + when : text.slice(0, at) + when + text.slice(at);
}

function recoveryText({ phases }: History): string {
  const last = phases[phases.length - 1];
  const { startSeconds, reboot } = last.life;
  const restarted = reboot === true ? 'came back with the node' : 'restarted';
  const start = startSeconds === undefined ? restarted : `${restarted} at ${timeText(startSeconds)}`;
  if (last.storm === undefined) return last.isMeasured ? `${start} without a storm` : `${start} and reports again`;
  const took = startSeconds === undefined ? '' : ` ${secondsText(last.storm.untilSeconds - startSeconds)} later`;
  return `${start} and settled${took}`;
}

function runningText({ phases, seen }: History): string {
  const life = phases.at(-1)?.life;
  if (life?.startSeconds === undefined || seen.lastSeconds === undefined) return '';
  const size = life.samples.findLast(({ values }) => values.residentBytes !== undefined)?.values.residentBytes;
  const resident = size === undefined ? '' : `, ${formatBytes(size)} resident`;
  return `; running for ${secondsText(seen.lastSeconds - life.startSeconds)}${resident}`;
}

/** `1,718 API requests in 57 s (50/s at most, 0.1/s before), pod workers 0.35 s on average at most` */
export function stormText(storm: Storm | undefined): string {
  if (storm === undefined) return '';
  const parts: string[] = [];
  if (storm.peakApiPerSecond !== undefined) {
    const before = storm.calmApiPerSecond === undefined ? '' : `, ${rateText(storm.calmApiPerSecond)} before`;
    const span = secondsText(storm.untilSeconds - storm.fromSeconds);
    parts.push(
      `${formatCount(storm.apiRequests)} API requests in ${span} (${rateText(storm.peakApiPerSecond)} at most${before})`,
    );
  }
  if (storm.apiErrors > 0) parts.push(`${formatCount(storm.apiErrors)} of them failed`);
  if (storm.worstRelistSeconds !== undefined) parts.push(`relists up to ${durationText(storm.worstRelistSeconds)}`);
  if (storm.worstWorkerSeconds !== undefined) parts.push(`pod workers up to ${durationText(storm.worstWorkerSeconds)}`);
  if ((storm.worstPlegAgeSeconds ?? 0) >= 10) parts.push(`PLEG ${durationText(storm.worstPlegAgeSeconds ?? 0)} behind`);
  return parts.join(', ');
}

export function reasonsOf(history: History): string[] {
  const { phases, signs, kills, reemitted, restarters, names } = history;
  const last = phases.at(-1);
  const reasons = [...(last?.sign === undefined ? [] : [last.sign.text]), ...signs.map(({ text }) => text)];
  const restarts = phases.filter(({ life }) => life.isRestart);
  const told = (reboot: boolean | undefined): number => restarts.filter(({ life }) => life.reboot === reboot).length;
  if (told(true) > 0) reasons.push(`${timesText(told(true), 'restart')} with a reboot of the node`);
  if (told(false) > 0)
    reasons.push(`${timesText(told(false), 'restart')} of the ${names.name} alone: the node did not reboot`);
  if (told(undefined) > 0)
    reasons.push(
      `${timesText(told(undefined), 'restart')} of which neither events, boot ids nor logs tell whether the node rebooted`,
    );
  if (reemitted.length > 0) {
    const were = reemitted.length === 1 ? 'was' : 'were';
    reasons.push(
      `${timesText(reemitted.length, 'old OOM event')} ${were} re-emitted after a restart, and removed by pid`,
    );
  }
  const doubtful = kills.filter(({ isDoubtful }) => isDoubtful).length;
  if (doubtful > 0)
    reasons.push(
      `${timesText(doubtful, 'OOM event')} right after a start may be old: a kubelet that starts reads the kernel's whole buffer`,
    );
  const untimed = kills.filter(({ atSeconds }) => atSeconds === undefined).length;
  if (untimed > 0)
    reasons.push(
      `${timesText(untimed, 'OOM kill')} without a time: dmesg counts from a boot whose time is not told (use dmesg -T)`,
    );
  return [...reasons, ...restarters.map(({ name, sentence }) => `${name}: ${sentence}`)];
}
