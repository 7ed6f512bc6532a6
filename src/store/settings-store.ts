/** Single values by key. Writes become durable with the next commit; reads see what is committed. */
export interface SettingsStore {
  /** False if it is not taken. */
  putSetting(key: string, value: string): boolean;
  setting(key: string): Promise<string | undefined>;
}
