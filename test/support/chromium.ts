import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '../../scripts/chromium.mjs';

/** A headless Chromium: the one `npm test` found, else one found now. The caller closes it. */
export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await findChromium()).program;
  // Containers often have a /dev/shm of 64 MB, which a page can fill.
  return chromium.launch({ executablePath, args: ['--disable-dev-shm-usage', ...args] });
}
