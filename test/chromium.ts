/** Which browser the tests and benchmarks drive. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** The shell comes first: it is made for this, and needs less CPU than the whole browser without a window. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const PATH = process.env['CHROMIUM'] ?? INSTALLED.find(path => existsSync(path));

export const HAS_CHROMIUM: boolean = PATH !== undefined && existsSync(PATH);

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(PATH === undefined ? {} : { executablePath: PATH }),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
