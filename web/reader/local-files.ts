/** Files that were dropped or chosen: they stay in this tab, and go by `local-1`, `local-2` ... */
const files = new Map<string, File>();

export function keepLocal(file: File): string {
  const key = `local-${files.size + 1}`;
  files.set(key, file);
  return key;
}

export function localFile(key: string): File | undefined {
  return files.get(key);
}
