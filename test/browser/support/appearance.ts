import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { lightColours } from '../../../src/rendering/design-tokens.js';
import { arePicturesWanted, screenshotPath } from './screenshots.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Frames hold mails, in which no script may run: mails are looked at by themselves. Preloading would ask for files. */
const AXE_OPTIONS = { preload: false, iframes: false, resultTypes: ['violations'] };
/** All rules for a page. A mail is shown inside of somebody's page and has no landmarks of its own: WCAG alone. */
const RULES = {
  page: AXE_OPTIONS,
  mail: { ...AXE_OPTIONS, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
} as const;
/** What colours and widths can change; the rest was judged at the first look. */
const LOOK_RULES = {
  ...AXE_OPTIONS,
  runOnly: ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable', 'list'],
};
const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;
type Look = `${keyof typeof WIDTHS}-${'light' | 'dark'}`;
const LOOKS: readonly Look[] = ['wide-light', 'narrow-light', 'wide-dark', 'narrow-dark'];
const TALL = 1600;
/** protocol §11.1: one HTML response, compressed. */
const MAX_PAGE_BYTES = 15_000;
/** protocol §11.1: what is pressed with a finger. Links inside of a sentence are no targets of their own. */
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
  await page.waitForLoadState();
  await eachLook(page, LOOKS, async (look) => {
    await page.screenshot({ path: screenshotPath(`${name}-${look}`), fullPage: true });
  });
}

/**
 * Looks at the open page in both widths and both schemes, and at 320 px. It is left as it was found, so forms keep
 * what was typed.
 *
 * @returns faults, one a line; empty when there are none
 */
export async function faultsOf(
  page: Page,
  name: string,
  kind: 'page' | 'mail' = 'page',
  looks: readonly Look[] = LOOKS,
): Promise<readonly string[]> {
  const faults: string[] = [];
  // a heading is there before the styles, pictures and scripts below it
  await page.waitForLoadState();
  const size = gzipSync(await page.content()).length;
  if (size > MAX_PAGE_BYTES) faults.push(`${name} has ${size} bytes compressed`);
  await page.evaluate(AXE);
  await eachLook(page, looks, async (look) => {
    const rules = JSON.stringify(look === looks[0] ? RULES[kind] : LOOK_RULES);
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${rules})`);
    for (const { id, nodes } of violations) {
      for (const { html, failureSummary } of nodes) {
        faults.push(`${name} ${look}: ${id} ${html} ${failureSummary ?? ''}`);
      }
    }
    // a picture takes as long as all the rules: of what is wrong, and where somebody is going to look
    if (arePicturesWanted || violations.length > 0)
      await page.screenshot({ path: screenshotPath(`${name}-${look}`), fullPage: true, caret: 'initial' });
  });
  await page.setViewportSize({ width: 320, height: 640 });
  for (const what of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`${name} at 320 px: wide ${what}`);
  for (const what of await page.evaluate<string[]>(SMALL_TARGETS)) faults.push(`${name}: ${what}`);
  await page.setViewportSize(WIDTHS.wide);
  return faults;
}

/**
 * The same for one language of several: each in both widths and both schemes, and not in every pair of them. All pairs
 * where pictures are wanted.
 */
export async function faultsInLanguage(page: Page, name: string, locale: string): Promise<readonly string[]> {
  const looks: readonly Look[] =
    locale === 'en' ? ['wide-light', 'narrow-dark'] : ['narrow-light', 'wide-dark'];
  return await faultsOf(page, `${name}-${locale}`, 'page', arePicturesWanted ? LOOKS : looks);
}

/** The design's colours that the open page uses, by the names of `ColourScheme`. */
export async function coloursOf(page: Page, colorScheme: 'light' | 'dark'): Promise<Record<string, string>> {
  await page.emulateMedia({ colorScheme });
  const colours: Record<string, string> = {};
  for (const name of Object.keys(lightColours)) {
    const property = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const value = await page.evaluate<string>(
      `getComputedStyle(document.documentElement).getPropertyValue('${property}').trim()`,
    );
    if (value !== '') colours[name] = value;
  }
  return colours;
}

async function eachLook(
  page: Page,
  looks: readonly Look[],
  look: (name: Look) => Promise<void>,
): Promise<void> {
  for (const name of looks) {
    const [width, colorScheme] = name.split('-') as [keyof typeof WIDTHS, 'light' | 'dark'];
    // without motion, or colours would be judged and photographed in the middle of their change
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // a frame paints only as far as the window reaches, and too late for the first picture after a change
    const hasFrames = page.frames().length > 1;
    await page.setViewportSize(hasFrames ? { ...WIDTHS[width], height: TALL } : WIDTHS[width]);
    if (hasFrames) await page.screenshot();
    await look(name);
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(WIDTHS.wide);
}
