/** Credentials in files that the user names. Every method throws a RequestError of kind `credentials`. */
export interface CredentialFiles {
  /** A bearer token. Not cached: issuers of short-lived tokens replace the file. */
  readToken(path: string): Promise<string>;
  /** All of the file but the line break at its end. */
  readPassword(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
}
