/**
 * A Grafana dashboard over what `oakum watch` itself exports, with links to its pages.
 *
 *     incidents | leak | watch | silent
 *     targets that leak, soonest limit first                -> the page of each
 *     attribute values that leak                            -> the fleet by that attribute
 *     targets by verdict, growth, captures, notifications
 */
import { DATA_SOURCE, type GraphDraft, layOut, type StatDraft, type TableDraft } from './dashboard-panel.ts';
import { type Dashboard, INCIDENTS, SCHEMA_VERSION } from './dashboard.ts';

/** Labels that a Prometheus adds; aggregated away, so that two replicas of a watch show once. */
const OF_TARGET = 'target, resource';
const OF_COHORT = 'attribute, value, resource';

/** `watchUrl`: where people reach the web UI; they can change it in the dashboard. */
export function watchDashboardOf(watchUrl: string): Dashboard {
  return {
    uid: 'oakum-watch',
    title: 'Oakum: what oakum watch found',
    description: 'Shows the metrics of oakum watch; a Prometheus must scrape it.',
    tags: ['oakum'],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    graphTooltip: 1,
    refresh: '1m',
    time: { from: 'now-2d', to: 'now' },
    annotations: { list: [INCIDENTS] },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'job',
          label: 'Job',
          type: 'query',
          query: 'label_values(oakum_build, job)',
          datasource: DATA_SOURCE,
          refresh: 2,
          includeAll: true,
          multi: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
        {
          name: 'watch',
          label: 'Address of oakum watch',
          type: 'textbox',
          query: watchUrl,
          current: { text: watchUrl, value: watchUrl },
        },
      ],
    },
    panels: layOut([...counts(), leakingTargets(), leakingCohorts(), ...graphs()]),
  };
}

/** As the router of the web UI reads it. */
const PAGES = {
  incidents: '${watch}/i',
  target: '${watch}/t/${__data.fields.target:percentencode}',
  cohort: '${watch}/?by=${__data.fields.attribute:percentencode}',
} as const;

function of(metric: string, matcher = ''): string {
  return `${metric}{job=~"$job"${matcher === '' ? '' : `, ${matcher}`}}`;
}

function counts(): StatDraft[] {
  const stat = (title: string, description: string, expr: string, link?: string): StatDraft => ({
    kind: 'stat',
    title,
    description,
    expr: `max(${expr}) or vector(0)`,
    width: 6,
    height: 4,
    ...(link === undefined ? {} : { link: { title: `Open ${title.toLowerCase()}`, url: link } }),
  });
  return [
    stat('Incidents', 'Open, of targets and cohorts.', of('oakum_incidents_open'), PAGES.incidents),
    stat('Leak', 'Targets proved to leak.', of('oakum_targets', 'verdict="leak"')),
    stat('Watch', 'Targets that may leak.', of('oakum_targets', 'verdict="watch"')),
    stat('Silent', 'Targets that do not answer.', of('oakum_silent_targets')),
  ];
}

function leakingTargets(): TableDraft {
  const by = (metric: string, matcher?: string): string => `max by (${OF_TARGET}) (${of(metric, matcher)})`;
  return {
    kind: 'table',
    title: 'Targets that leak',
    description: 'Proved or suspected; the name opens the page of the target. Growth in bytes or a count per hour.',
    width: 24,
    height: 9,
    labels: ['target', 'resource'],
    hiddenLabels: [],
    links: { target: { title: 'Open ${__value.text}', url: PAGES.target } },
    columns: [
      { name: 'Leak', unit: 'short', expr: by('oakum_target_verdict', 'verdict="leak"') },
      { name: 'Growth per hour', unit: 'short', expr: by('oakum_target_growth_per_hour') },
      { name: 'Limit, soonest', unit: 's', expr: by('oakum_target_limit_seconds', 'bound="low"') },
      { name: 'Limit, latest', unit: 's', expr: by('oakum_target_limit_seconds', 'bound="high"') },
    ],
  };
}

function leakingCohorts(): TableDraft {
  const by = (metric: string, matcher?: string): string => `max by (${OF_COHORT}) (${of(metric, matcher)})`;
  return {
    kind: 'table',
    title: 'Attribute values that leak',
    description: 'Versions, pools and others whose targets grow; the attribute opens the fleet by it.',
    width: 24,
    height: 6,
    labels: ['attribute', 'value', 'resource'],
    hiddenLabels: [],
    links: { attribute: { title: 'The fleet by ${__value.text}', url: PAGES.cohort } },
    columns: [
      { name: 'Leak', unit: 'short', expr: by('oakum_cohort_verdict', 'verdict="leak"') },
      { name: 'Growth per hour', unit: 'short', expr: by('oakum_cohort_growth_per_hour') },
      { name: 'Growing', unit: 'short', expr: by('oakum_cohort_targets', 'state="leaking"') },
      { name: 'Observed', unit: 'short', expr: by('oakum_cohort_targets', 'state="observed"') },
      { name: 'First limit', unit: 's', expr: by('oakum_cohort_limit_seconds') },
    ],
  };
}

function graphs(): GraphDraft[] {
  const graph = (title: string, description: string, unit: string, queries: GraphDraft['queries']): GraphDraft => ({
    kind: 'timeseries',
    title,
    description,
    unit,
    queries,
    width: 12,
    height: 8,
  });
  const perHour = (metric: string): string => `sum(increase(${of(metric)}[1h]))`;
  return [
    graph('Targets by verdict', '', 'short', [
      { expr: `max by (verdict) (${of('oakum_targets')})`, legend: '{{verdict}}' },
      { expr: `max(${of('oakum_silent_targets')})`, legend: 'silent' },
    ]),
    graph('Growth per hour', 'Of what is suspected or proved, in bytes or a count.', 'short', [
      { expr: `max by (${OF_TARGET}) (${of('oakum_target_growth_per_hour')})`, legend: '{{target}} {{resource}}' },
    ]),
    graph('Samples and captures', 'Within an hour.', 'short', [
      { expr: perHour('oakum_samples_total'), legend: 'samples' },
      { expr: perHour('oakum_sample_failures_total'), legend: 'samples that failed' },
      { expr: perHour('oakum_captures_total'), legend: 'captures' },
      { expr: perHour('oakum_capture_failures_total'), legend: 'captures that failed' },
    ]),
    graph('Notifications and store', 'Anything above 0 needs a look.', 'short', [
      { expr: `max by (destination) (${of('oakum_notifications_failing')})`, legend: '{{destination}} fails' },
      { expr: perHour('oakum_notifications_dropped_total'), legend: 'dropped' },
      { expr: `max(${of('oakum_store_degraded')})`, legend: 'store degraded' },
      { expr: perHour('oakum_store_lost_samples_total'), legend: 'samples lost' },
    ]),
  ];
}
