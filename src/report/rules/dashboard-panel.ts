/** Turns a panel draft into Grafana's JSON. */

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** A query of a table becomes a column of that name. */
export interface Column {
  readonly name: string;
  readonly unit: string;
  readonly expr: string;
}

/** Shown when somebody clicks; Grafana fills in `${...}`. */
export interface Link {
  readonly title: string;
  readonly url: string;
}

interface Draft {
  readonly title: string;
  readonly description: string;
  /** Out of 24 columns. */
  readonly width: number;
  readonly height: number;
}

export interface StatDraft extends Draft {
  readonly kind: 'stat';
  readonly expr: string;
  readonly link?: Link;
}

export interface GraphDraft extends Draft {
  readonly kind: 'timeseries';
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Series whose legend begins with this use the right axis. */
  readonly rightAxis?: string;
}

export interface TableDraft extends Draft {
  readonly kind: 'table';
  /** Rows are sorted by the first, largest first. */
  readonly columns: readonly Column[];
  /** Labels that are shown, in this order. */
  readonly labels: readonly string[];
  readonly hiddenLabels: readonly string[];
  /** By label. */
  readonly links?: Readonly<Record<string, Link>>;
}

export type PanelDraft = StatDraft | GraphDraft | TableDraft;

interface DataSource {
  readonly type: string;
  readonly uid: string;
}

export const DATA_SOURCE: DataSource = { type: 'prometheus', uid: '${datasource}' };

interface Target {
  readonly refId: string;
  readonly datasource: DataSource;
  readonly expr: string;
  readonly legendFormat: string;
  readonly instant: boolean;
  readonly range: boolean;
  readonly format: 'time_series' | 'table';
}

export interface Panel {
  readonly id: number;
  readonly type: PanelDraft['kind'];
  readonly title: string;
  readonly description: string;
  readonly datasource: DataSource;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly Target[];
  readonly fieldConfig: { readonly defaults: object; readonly overrides: readonly object[] };
  readonly options: object;
  readonly transformations: readonly object[];
}

const COLUMNS = 24;

/** Placed from left to right, in rows as high as their first panel. */
export function layOut(drafts: readonly PanelDraft[]): Panel[] {
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  return drafts.map((draft, index) => {
    if (x + draft.width > COLUMNS) {
      x = 0;
      y += rowHeight;
    }
    if (x === 0) rowHeight = draft.height;
    const gridPos = { x, y, w: draft.width, h: draft.height };
    x += draft.width;
    const { title, description, kind } = draft;
    return { id: index + 1, type: kind, title, description, datasource: DATA_SOURCE, gridPos, ...contents(draft) };
  });
}

type Contents = Pick<Panel, 'targets' | 'fieldConfig' | 'options' | 'transformations'>;

function contents(draft: PanelDraft): Contents {
  if (draft.kind === 'stat') return stat(draft);
  return draft.kind === 'table' ? table(draft) : graph(draft);
}

function stat({ title, expr, link }: StatDraft): Contents {
  return {
    targets: [target({ expr, legend: title }, 0, 'instant')],
    fieldConfig: {
      defaults: { unit: 'short', ...(link === undefined ? {} : { links: [inNewTab(link)] }) },
      overrides: [],
    },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'none', graphMode: 'none' },
    transformations: [],
  };
}

function graph({ queries, unit, rightAxis }: GraphDraft): Contents {
  const right = {
    matcher: { id: 'byRegexp', options: `^${rightAxis}.*` },
    properties: [{ id: 'custom.axisPlacement', value: 'right' }],
  };
  return {
    targets: queries.map((query, index) => target(query, index, 'range')),
    fieldConfig: { defaults: { unit, custom: { fillOpacity: 0 } }, overrides: rightAxis === undefined ? [] : [right] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    transformations: [],
  };
}

function inNewTab(link: Link): object {
  return { ...link, targetBlank: true };
}

function table({ columns, labels, hiddenLabels, links }: TableDraft): Contents {
  const valueOf = (index: number): string => `Value #${refId(index)}`;
  const hidden = Object.fromEntries(['Time', ...hiddenLabels].map(name => [name, true]));
  return {
    targets: columns.map(({ expr, name }, index) => target({ expr, legend: name }, index, 'table')),
    fieldConfig: {
      defaults: {},
      overrides: [
        ...columns.map(({ name, unit }) => override(name, 'unit', unit)),
        ...Object.entries(links ?? {}).map(([label, link]) => override(label, 'links', [inNewTab(link)])),
      ],
    },
    options: { showHeader: true, sortBy: columns.slice(0, 1).map(({ name }) => ({ displayName: name, desc: true })) },
    transformations: [
      { id: 'merge', options: {} },
      {
        id: 'organize',
        options: {
          excludeByName: hidden,
          indexByName: Object.fromEntries([...labels, ...columns.keys()].map((key, at) => [nameOf(key, valueOf), at])),
          renameByName: Object.fromEntries(columns.map(({ name }, index) => [valueOf(index), name])),
        },
      },
    ],
  };
}

function override(column: string, id: string, value: unknown): object {
  return { matcher: { id: 'byName', options: column }, properties: [{ id, value }] };
}

function nameOf(key: string | number, valueOf: (index: number) => string): string {
  return typeof key === 'string' ? key : valueOf(key);
}

function refId(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

function target({ expr, legend }: Query, index: number, kind: 'instant' | 'range' | 'table'): Target {
  return {
    refId: refId(index),
    datasource: DATA_SOURCE,
    expr,
    legendFormat: legend,
    instant: kind !== 'range',
    range: kind === 'range',
    format: kind === 'table' ? 'table' : 'time_series',
  };
}
