import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderResetSentPage } from '../../src/pages/forgotten-password-pages.js';
import { textsFor } from '../../src/pages/texts.js';
import { launchChromium } from '../support/chromium.js';
import { PageServer } from './support/page-server.js';

// When a code can be sent again: scripts count down and hold the button back; without them it is simply there.

const NONCE = 'bm9uY2U';
let browser: Browser;
let pages: PageServer;
let url: string;

beforeAll(async () => {
  [browser, pages] = await Promise.all([launchChromium(), PageServer.listen(NONCE)]);
  const form = { action: '/resend', csrf: 'csrf-token' };
  url = pages.show(
    'sent',
    renderResetSentPage({
      texts: textsFor(['en']),
      nonce: NONCE,
      organization: { name: 'Acme' },
      resend: { form, availableInSeconds: 62 },
    }),
  );
});

afterAll(async () => {
  await browser.close();
  await pages.close();
});

it('with scripts', async () => {
  const context = await browser.newContext();
  const tab = await context.newPage();
  // time stands still but for what the test adds: a second more or less would be another text
  const start = Date.UTC(2026, 0, 1);
  await tab.clock.install({ time: start });
  await tab.clock.pauseAt(start + 1_000);
  await tab.goto(url);
  const button = tab.getByRole('button', { name: 'Send again' });
  await expect.poll(() => button.isDisabled()).toBe(true);
  await expect
    .poll(() => tab.getByText('request a new code in').innerText())
    .toBe('You can request a new code in 1:02');
  await tab.clock.runFor(3_000);
  await expect
    .poll(() => tab.getByText('request a new code in').innerText())
    .toBe('You can request a new code in 0:59');
  await tab.clock.runFor(59_500);
  await expect.poll(() => button.isDisabled()).toBe(false);
  await expect.poll(() => tab.getByText('request a new code in').isVisible()).toBe(false);
  await context.close();
});

it('without scripts', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(url);
  await expect.poll(() => tab.getByRole('button', { name: 'Send again' }).isDisabled()).toBe(false);
  await expect
    .poll(() => tab.getByText('request a new code in').innerText())
    .toBe('You can request a new code in 1:02');
  await context.close();
});
