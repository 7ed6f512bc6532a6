/** The worker of a page that a server serves. */
import { serveProfiles } from './serve-profiles.ts';

serveProfiles();
