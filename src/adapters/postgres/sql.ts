/** What is used of a pool of connections of `pg`. */
export interface Sql {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}
