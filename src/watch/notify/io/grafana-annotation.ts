/**
 * A notice as an annotation of Grafana (`POST /api/annotations`): a mark on every dashboard that shows annotations with
 * the tag `oakum`. The one of the end is a region, from the beginning of the incident to its end.
 */
import type { Notice } from '../../../store/notification.ts';

const WORDS = { opened: 'opened', proved: 'proved', folded: 'part of a cohort', cleared: 'cleared' } as const;

export function grafanaAnnotation({ kind, at, cluster, incident }: Notice): object {
  const { id, target, resource, openedAt, summary, cause, url } = incident;
  const isRegion = kind === 'cleared' || kind === 'folded';
  const lines = [`${target}: ${resource} ${WORDS[kind]}`, summary, ...(cause === null ? [] : [cause])].map(escaped);
  return {
    time: milliseconds(isRegion ? openedAt : at),
    ...(isRegion ? { timeEnd: milliseconds(at) } : {}),
    tags: ['oakum', `oakum:${kind}`, `cluster:${cluster}`, `target:${target}`, `resource:${resource}`],
    text: [...lines, ...(url === null ? [] : [`<a href="${escaped(url)}">${escaped(id)}</a>`])].join('\n'),
  };
}

/** The text of an annotation is HTML. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
