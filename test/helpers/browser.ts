/** A real browser: the system's Chromium, or the one that ships in a package. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const systemBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

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

export async function openBrowser(): Promise<FoundBrowser> {
  const system = systemBrowsers.find((path) => existsSync(path));
  const errors: string[] = [];
  for (const find of [async () => system, packagedBrowser]) {
    try {
      const executablePath = await find();
      if (executablePath) return { browser: await chromium.launch({ executablePath, args: flags }) };
    } catch (error) {
      errors.push((error as Error).message.split('\n')[0]!);
    }
  }
  return { reason: `no browser can be started here: ${errors.join('; ') || 'none found'}` };
}

async function packagedBrowser(): Promise<string> {
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
