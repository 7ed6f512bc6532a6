/**
 * Texts and links with places for what is known about an incident:
 *
 *     {target}: {sentence}                         node/worker-17: Live heap grows 41.8 MiB/h ...
 *     https://runbooks.example.com/{resource}      https://runbooks.example.com/live%20heap
 */
import type { NoticedIncident } from '../../store/notification.ts';
import { nodeName } from '../../evidence/target.ts';

export const TEMPLATE_PLACES = [
  'target',
  'node',
  'resource',
  'verdict',
  'sentence',
  'cause',
  'incident',
  'cluster',
  'url',
] as const;
export type TemplatePlace = (typeof TEMPLATE_PLACES)[number];
export type TemplateValues = Readonly<Record<TemplatePlace, string>>;

/** The first place that does not exist; undefined if all do. */
export function unknownPlace(template: string): string | undefined {
  const places: readonly string[] = TEMPLATE_PLACES;
  return placesIn(template).find(place => !places.includes(place));
}

export function fillText(template: string, values: TemplateValues): string {
  return template.replace(/\{(\w+)\}/g, (whole, place: string) => values[place as TemplatePlace] ?? whole);
}

/** Values are escaped; `{url}` is a link itself and is not. */
export function fillLink(template: string, values: TemplateValues): string {
  return template.replace(/\{(\w+)\}/g, (whole, place: string) => {
    const value = values[place as TemplatePlace];
    if (value === undefined) return whole;
    return place === 'url' ? value : encodeURIComponent(value);
  });
}

export function valuesOf(
  incident: Pick<NoticedIncident, 'id' | 'target' | 'resource' | 'verdict' | 'sentence' | 'cause' | 'url'>,
  cluster: string,
): TemplateValues {
  const { id, target, resource, verdict, sentence, cause, url } = incident;
  const node = nodeName(target) ?? '';
  return { target, node, resource, verdict, sentence, cause: cause ?? '', incident: id, cluster, url: url ?? '' };
}

function placesIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place);
}
