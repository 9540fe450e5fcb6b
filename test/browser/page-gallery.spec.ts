import type { Browser, ConsoleMessage, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { languages } from '../../src/domain/shared/locale.js';
import { textsFor } from '../../src/pages/texts.js';
import { renderVerifyPhonePage } from '../../src/pages/verify-phone-page.js';
import { launchChromium } from '../support/chromium.js';
import { allMails, GALLERY_LOGO, newPages } from '../support/page-gallery.js';
import { faultsInLanguage } from './support/appearance.js';
import { PageServer } from './support/page-server.js';
import { keepScreenshots, removeScreenshots } from './support/screenshots.js';

// Pages and mails as they are rendered, before any controller: in two languages, one of them with long words, each in
// both widths and schemes (in every pair of them with SCREENSHOTS=dir, for eyes). axe finds nothing, nothing is wider
// than a phone, nothing breaks the policy.

/** A wide one, as letterheads have. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40" rx="8"
  fill="#fff"/><circle cx="22" cy="20" r="12" fill="#0f7b6c"/><text x="44" y="28" font-family="sans-serif" font-size="24"
  font-weight="700" fill="#0f7b6c">Acme</text></svg>`;
const NONCE = 'bm9uY2U';
let browser: Browser;
let server: PageServer;
/**
 * What all pages are looked at in, one after the other, and all mails: a tab of its own is a process of its own, which
 * reads axe anew and costs more than the look.
 */
let pageTab: Page;
let mailTab: Page;
let complaints: string[] = [];
let failed = false;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchChromium(), PageServer.listen(NONCE)]);
  pageTab = await (await browser.newContext()).newPage();
  pageTab.on('console', hear);
  mailTab = await (await browser.newContext()).newPage();
  // no mail program shows a picture that it does not find
  await mailTab.route('https://id.example/**', (route) =>
    route.request().url() === GALLERY_LOGO
      ? route.fulfill({ contentType: 'image/svg+xml', body: LOGO })
      : route.abort(),
  );
});

afterEach(async ({ task }) => {
  failed ||= task.result?.state === 'fail';
  // nothing of a page is left for the next
  await pageTab.context().clearCookies();
  await pageTab.goto(`${server.origin}/empty`);
  await pageTab.evaluate('localStorage.clear(); sessionStorage.clear()');
  complaints = [];
});

afterAll(async () => {
  await browser.close();
  await server.close();
  if (failed) keepScreenshots();
  else await removeScreenshots();
});

function hear(message: ConsoleMessage): void {
  if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
}

const wanted = (process.env['GALLERY_LANGUAGES'] ?? 'en,de').split(',');
const LANGUAGES = languages.filter((tag) => wanted.includes(tag));

describe.each(LANGUAGES)('in %s', (tag) => {
  const page = {
    texts: textsFor([tag]),
    nonce: NONCE,
    organization: { name: 'Acme' },
    footer: { helpUrl: '/help', privacyUrl: '/privacy' },
    askedFor: '/page',
  };

  it.each(Object.entries(newPages(page)))('the page %s', async (name, markup) => {
    // some would leave at once; how they do is another test's
    const still = markup.replace('.submit.call', '.submit.bind').replace('location.replace(', 'String(');
    await pageTab.goto(server.show(`${name}-${tag}`, still));
    expect(await faultsInLanguage(pageTab, name, tag)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('the list of languages, opened by keyboard', async () => {
    await pageTab.goto(server.show(`languages-${tag}`, newPages(page)['forgotten-password'] ?? ''));
    await pageTab.locator('summary').focus();
    await pageTab.keyboard.press('Enter');
    await pageTab.getByRole('link', { name: 'Polski' }).waitFor();
    expect(await faultsInLanguage(pageTab, 'languages', tag)).toEqual([]);
  });

  it.each(Object.entries(allMails(tag)))('the mail %s', async (name, mail) => {
    await mailTab.setContent(mail.html);
    expect(await faultsInLanguage(mailTab, `mail-${name}`, tag)).toEqual([]);
  });
});

describe('a code that comes by SMS', () => {
  const page = { texts: textsFor(['en']), nonce: NONCE, organization: { name: 'Acme' } };
  const form = { action: '/verify/phone', csrf: 'csrf-token' };

  /** The page, on a telephone that gets a message with this code. */
  async function onATelephone(code?: string) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.addInitScript(`
      window.asked = []; window.sent = 0;
      window.OTPCredential = function () {};
      navigator.credentials.get = (wish) => { window.asked.push(wish.otp.transport[0]); return Promise.resolve({ code: '123456' }); };
      document.addEventListener('submit', () => { window.sent += 1; });
    `);
    await tab.goto(
      server.show('by-sms', renderVerifyPhonePage({ ...page, form, sentTo: '+41791234567', code })),
    );
    return tab;
  }

  it('is filled in where the browser can do that, and waits for the button', async () => {
    const tab = await onATelephone();
    await expect.poll(() => tab.locator('#code').inputValue()).toBe('123456');
    await expect.poll(() => tab.locator('#code').getAttribute('inputmode')).toBe('numeric');
    await expect.poll(() => tab.evaluate('[window.asked, window.sent]')).toEqual([['sms'], 0]);
    await tab.context().close();
  });

  it('is not asked for where the link of the message has brought it', async () => {
    const tab = await onATelephone('654321');
    await expect.poll(() => tab.locator('#code').inputValue()).toBe('654321');
    await expect.poll(() => tab.evaluate('[window.asked, window.sent]')).toEqual([[], 0]);
    await tab.context().close();
  });
});
