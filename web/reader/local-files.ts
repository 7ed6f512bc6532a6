/** Dropped or chosen files. They stay in this tab under the keys `local-1`, `local-2` ... */
const files = new Map<string, File>();

export function keepFile(file: File): string {
  const key = `local-${files.size + 1}`;
  files.set(key, file);
  return key;
}

export function localFile(key: string): File | undefined {
  return files.get(key);
}
