/** What `oakum labels` reports, as its JSON has it (schema `oakum.labels/v1`). */
import type { Family } from './family.ts';

export interface LabelReport {
  readonly schema: 'oakum.labels/v1';
  /** Labels counted by. */
  readonly by: readonly string[];
  readonly files: readonly LabelledFile[];
  /** Only tenants that no longer exist. */
  readonly orphansOnly: boolean;
  /** The label that names the tenant. */
  readonly tenant: string;
  /** How many tenants exist; null when that is not known. */
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
  /** The tenant no longer exists; null when that is not known. */
  readonly orphan: boolean | null;
  /** The family that most of them are in. */
  readonly family: Pick<Family, 'id' | 'title'>;
}

/** Tenants that no longer exist, and the goroutines that still name them. */
export interface GoneTenants {
  readonly tenants: number;
  readonly goroutines: number;
}

/** A heap by owner. Go heap profiles carry no pprof labels, so owners are inferred from allocation paths. */
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
  /** Inferred from the allocation path, always. */
  readonly owner: string;
  readonly bytes: number;
  readonly objects: number;
  readonly samples: number;
}
