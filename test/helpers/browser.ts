/** A real browser: the system's Chromium, or the one that ships in a package. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { askShared, type Shared } from '../once/ask.ts';

/** The same engine without a window first: a page in it takes a quarter of the processor time. */
const systemBrowsers = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface FoundBrowser {
  readonly browser?: Browser;
  /** Why there is none: the name of the skip. */
  readonly reason?: string;
}

/** The one of this run, with contexts of the caller's own. */
export async function openBrowser(): Promise<FoundBrowser> {
  const { endpoint, reason } = await askShared('browser');
  return endpoint === undefined ? { reason: reason! } : { browser: await chromium.connect(endpoint) };
}

/** For everybody who connects. */
export async function startBrowser(): Promise<{
  readonly answer: Shared['browser'];
  stop(): Promise<unknown>;
}> {
  const system = systemBrowsers.find((path) => existsSync(path));
  const errors: string[] = [];
  for (const find of [async () => system, packagedBrowser]) {
    try {
      const executablePath = await find();
      if (!executablePath) continue;
      const server = await chromium.launchServer({ executablePath, args: flags });
      return { answer: { endpoint: server.wsEndpoint() }, stop: () => server.close() };
    } catch (error) {
      errors.push((error as Error).message.split('\n')[0]!);
    }
  }
  const reason = `no browser can be started here: ${errors.join('; ') || 'none found'}`;
  return { answer: { reason }, stop: async () => {} };
}

async function packagedBrowser(): Promise<string> {
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
