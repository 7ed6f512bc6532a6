/** The report of `oakum labels` (schema `oakum.labels/v1`). */
import type { Family } from './family.ts';

export interface LabelReport {
  readonly schema: 'oakum.labels/v1';
  /** The labels to count by. */
  readonly by: readonly string[];
  readonly files: readonly LabelledFile[];
  /** Only tenants that no longer exist. */
  readonly orphansOnly: boolean;
  /** The label that names the tenant. */
  readonly tenant: string;
  /** How many tenants exist; null if unknown. */
  readonly liveTenants: number | null;
  readonly rows: readonly LabelReportRow[];
  readonly rowsLeftOut: number;
}

export interface LabelledFile {
  readonly path: string;
  readonly goroutines: number;
  readonly labelled: number;
  /** Share of the goroutines that are labelled. */
  readonly coverage: number;
  /** Goroutines by label, whatever the label. */
  readonly keys: Readonly<Record<string, number>>;
}

export interface LabelReportRow {
  readonly labels: Readonly<Record<string, string>>;
  /** One per file. */
  readonly goroutines: readonly number[];
  /** The last file minus the first. */
  readonly change: number;
  /** Whether the tenant no longer exists; null if unknown. */
  readonly orphan: boolean | null;
  /** The family that holds most of them. */
  readonly family: Pick<Family, 'id' | 'title'>;
}

/** Tenants that no longer exist, and the goroutines that still name them. */
export interface GoneTenants {
  readonly tenants: number;
  readonly goroutines: number;
}

/** A heap by owner. Go heap profiles have no pprof labels, so owners are inferred from allocation paths. */
export interface HeapOwnerReport {
  readonly schema: 'oakum.labels/v1';
  readonly by: readonly [];
  readonly inferred: true;
  readonly note: string;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly rows: readonly HeapOwner[];
  }[];
}

export interface HeapOwner {
  /** Always inferred from the allocation path. */
  readonly owner: string;
  readonly bytes: number;
  readonly objects: number;
  readonly samples: number;
}
