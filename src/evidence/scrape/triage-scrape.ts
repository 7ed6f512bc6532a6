/** What one scrape of a target says, before anything was compared with anything. */
import { readExposition } from '../../formats/exposition/read.ts';
import { canonicalName, isUsedFor } from '../../model/metric-names.ts';
import type { OomCycle } from '../../model/cycle.ts';
import type { TriageScrape } from '../../model/triage.ts';
import type { Answer } from '../../model/reply.ts';
import { factsOf } from '../../model/resource.ts';
import { factsOfMetrics } from './scrape-facts.ts';
import { memorySplit } from './memory-split.ts';

/** GOMEMLIMIT off is the largest int64. */
const NO_LIMIT_BYTES = 2 ** 62;

export function readScrape(answer: Answer, cycle: OomCycle | undefined): TriageScrape {
  const facts = factsOfMetrics(answer.body);
  const values = valuesOf(answer.body);
  const value = (...names: readonly string[]): number | null =>
    names.map(name => values.get(name)).find(found => found !== undefined) ?? null;
  // Of the clock by which it started.
  const now = answer.dateSeconds ?? answer.headAtSeconds;
  const start = facts.startTimeSeconds;
  const goLimit = value('go_gc_gomemlimit_bytes');
  return {
    tookSeconds: answer.tookSeconds,
    component: values.has('kubelet_running_pods') ? 'kubelet' : null,
    version: facts.version || null,
    goVersion: facts.goVersion || null,
    upSeconds: start === undefined ? null : Math.max(0, now - start),
    pods: value('kubelet_running_pods'),
    goroutines: value(...factsOf('goroutines').metrics),
    threads: value(...factsOf('threads').metrics),
    openFiles: value(...factsOf('file descriptors').metrics),
    maxFiles: value('process_max_fds'),
    residentBytes: value('process_resident_memory_bytes'),
    goLimitBytes: goLimit === null || goLimit >= NO_LIMIT_BYTES ? null : goLimit,
    memory: memorySplit(values) ?? null,
    cycle: cycleOf(cycle),
    problem: null,
  };
}

/** Where the metrics could not be had. What the API server says of the node may be there all the same. */
export function noScrape(problem: string, tookSeconds: number, cycle: OomCycle | undefined): TriageScrape {
  return {
    tookSeconds,
    component: null,
    version: null,
    goVersion: null,
    upSeconds: null,
    pods: null,
    goroutines: null,
    threads: null,
    openFiles: null,
    maxFiles: null,
    residentBytes: null,
    goLimitBytes: null,
    memory: null,
    cycle: cycleOf(cycle),
    problem,
  };
}

function cycleOf(cycle: OomCycle | undefined): TriageScrape['cycle'] {
  if (cycle === undefined) return { stage: 'unknown', sentence: 'nothing tells', advice: [] };
  return { stage: cycle.stage, sentence: cycle.sentence, advice: cycle.advice };
}

/** Series of one name added up; those of a process have one each. */
function valuesOf(bytes: Uint8Array): Map<string, number> {
  const { series, samples } = readExposition(bytes, { select: name => isUsedFor(name, 'triage') });
  const values = new Map<string, number>();
  for (let i = 0; i < samples.series.length; i++) {
    const name = canonicalName(series[samples.series[i]].name);
    values.set(name, (values.get(name) ?? 0) + samples.values[i]);
  }
  return values;
}
