import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { screenshotPath } from './screenshots.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Frames hold mails, in which no script may run; mails are looked at by themselves. Preloading would ask for files. */
const RUN_AXE = `axe.run(document, { preload: false, iframes: false })`;

const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;
const SCHEMES = ['light', 'dark'] as const;
/** ui.md: one HTML response, compressed. */
const MAX_PAGE_BYTES = 15_000;
/** ui.md: what is pressed with a finger. Links inside of a sentence are no targets of their own. */
const TARGETS = 'button, .button, input:not([type=hidden]), .ways a, .links a, .foot a';
const SMALL_TARGETS = `[...document.querySelectorAll('${TARGETS}')]
  .map((element) => ({ box: element.getBoundingClientRect(), name: element.id || element.textContent.trim() }))
  .filter(({ box }) => box.height > 0 && box.height < 44)
  .map(({ box, name }) => name + ' is ' + Math.round(box.height) + ' px high')`;
/** Only what holds text of its own: a wide box around it is in the list of the narrow one. */
const TOO_WIDE = `document.documentElement.scrollWidth > innerWidth
  ? [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.tagName.toLowerCase() + '.' + element.className)
  : []`;

/** Photographs the open page in both widths and both schemes. */
export async function photograph(page: Page, name: string): Promise<void> {
  await eachLook(page, async (look) => {
    await page.screenshot({ path: screenshotPath(`${name}-${look}`), fullPage: true });
  });
}

/**
 * Looks at the open page in both widths and both schemes, and at 320 px. It is left as it was found, so forms keep
 * what was typed.
 *
 * @returns faults, one a line; empty when there are none
 */
export async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const size = gzipSync(await page.content()).length;
  if (size > MAX_PAGE_BYTES) faults.push(`${name} has ${size} bytes compressed`);
  await page.evaluate(AXE);
  await eachLook(page, async (look) => {
    await page.screenshot({ path: screenshotPath(`${name}-${look}`), fullPage: true });
    const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
    for (const { id, nodes } of violations) {
      for (const { html, failureSummary } of nodes) {
        faults.push(`${name} ${look}: ${id} ${html} ${failureSummary ?? ''}`);
      }
    }
  });
  await page.setViewportSize({ width: 320, height: 640 });
  for (const what of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`${name} at 320 px: wide ${what}`);
  for (const what of await page.evaluate<string[]>(SMALL_TARGETS)) faults.push(`${name}: ${what}`);
  await page.setViewportSize(WIDTHS.wide);
  return faults;
}

async function eachLook(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const [width, viewport] of Object.entries(WIDTHS)) {
      await page.setViewportSize(viewport);
      await look(`${width}-${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(WIDTHS.wide);
}
