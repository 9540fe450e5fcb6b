import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TestAuthenticator } from '../support/factors.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import { VirtualAuthenticator } from './support/virtual-authenticator.js';
import type { Visitor } from './support/visitor.js';

// What people sign in with, on the pages of their own account: an authenticator app with the codes that it would show,
// recovery codes, and a passkey that the browser keeps.

const stage = useStage();
const PASSWORD = 'Correct-Horse-7';

async function opensAccount(visitor: Visitor, human: ImportedHuman): Promise<void> {
  await visitor.page.goto(`${stage().issuer}/login?destination=account`);
  await visitor.signIn(human.loginName, PASSWORD);
}

/** Sets the app up as its owner does, with the key that the page tells. */
async function setsUpApp({ page, texts }: Visitor): Promise<TestAuthenticator> {
  await page.goto(`${stage().issuer}/account/security/app/new`);
  await page.getByText(texts.secondFactor.setUp.orType).click();
  const app = new TestAuthenticator((await page.locator('.key').innerText()).replaceAll(/\s/g, ''));
  await page.locator('#code').fill(app.codeAt(Date.now()));
  await page.locator('#app-submit').click();
  return app;
}

/** Copied and downloaded, they say whose they are and where. */
async function keepsCodes({ page, texts }: Visitor, { loginName }: ImportedHuman, codes: readonly string[]) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('#copy-codes').click();
  await page.getByText(texts.account.recoveryCodes.copied).waitFor();
  const { hostname } = new URL(stage().issuer);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#download-codes').click(),
  ]);
  expect(download.suggestedFilename()).toBe(`recovery-codes-${hostname}.txt`);
  const text = await readFile(await download.path(), 'utf8');
  const lines = text.split('\r\n');
  expect(lines[0]).toBe(texts.account.recoveryCodes.shownTitle);
  expect(lines[1]).toBe(`${loginName} – ${hostname}`);
  expect(lines.slice(3)).toEqual([...codes, '']);
  const copied = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(async () => (await copied()).split(/\r?\n/)).toEqual(lines);
}

describe.each(['en', 'de'])('an authenticator app, in %s', (locale) => {
  it('is set up with a code, and a recovery code signs in when it is lost', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ locale });
    const { page, texts } = visitor;
    await opensAccount(visitor, human);
    await visitor.arrivesAt(texts.account.title);
    await page.goto(`${stage().issuer}/account/security/app/new`);
    expect(await faultsInLanguage(page, 'account-new-app', locale)).toEqual([]);
    await setsUpApp(visitor);
    await visitor.arrivesAt(texts.account.recoveryCodes.title);
    await visitor.sees(texts.account.done.app);
    await page.locator('#make-codes').click();
    await visitor.arrivesAt(texts.account.recoveryCodes.shownTitle);
    const shown = page.locator('.codes li');
    await expect.poll(() => shown.count()).toBe(10);
    const codes = await shown.allInnerTexts();
    expect(await faultsInLanguage(page, 'account-made-codes', locale)).toEqual([]);
    await keepsCodes(visitor, human, codes);
    // asking again shows none of them
    await page.reload();
    await visitor.arrivesAt(texts.account.recoveryCodes.title);
    await page.waitForLoadState();
    await expect.poll(() => page.content()).not.toContain(codes[0] ?? '');

    await page.context().clearCookies();
    await opensAccount(visitor, human);
    await visitor.arrivesAt(texts.secondFactor.title);
    await page.getByText(texts.secondFactor.kinds['recovery-code'].instead).click();
    await page.locator('#code').fill(codes[0] ?? '');
    await page.locator('#second-factor-submit').click();
    await visitor.arrivesAt(texts.account.title);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('an authenticator app', () => {
  it('is set up without scripts', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ scripts: false });
    await opensAccount(visitor, human);
    await setsUpApp(visitor);
    await visitor.arrivesAt(visitor.texts.account.recoveryCodes.title);
    await visitor.page.locator('#make-codes').click();
    await visitor.arrivesAt(visitor.texts.account.recoveryCodes.shownTitle);
    // no button that does nothing
    await expect.poll(() => visitor.page.locator('.codes li').count()).toBe(10);
    await expect.poll(() => visitor.page.locator('#copy-codes').isVisible()).toBe(false);
    await expect.poll(() => visitor.page.locator('#download-codes').isVisible()).toBe(false);
  });
});

describe('a passkey', () => {
  it('is added, named and removed', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit();
    const { page, texts } = visitor;
    const words = texts.account.passkeys;
    const device = await VirtualAuthenticator.plugInto(page);
    await opensAccount(visitor, human);
    await visitor.arrivesAt(texts.account.title);
    await page.goto(`${stage().issuer}/account/security/passkeys`);
    await visitor.sees(words.none);
    await page.locator('#passkey-button').click();
    // the first factor: what stands in for it when it is lost comes next
    await visitor.arrivesAt(texts.account.recoveryCodes.title);
    await visitor.sees(texts.account.done.passkey);
    await page.goto(`${stage().issuer}/account/security/passkeys`);
    expect(await device.passkeys()).toHaveLength(1);
    expect(await faultsInLanguage(page, 'account-passkeys', 'en')).toEqual([]);
    // the device has one already
    await page.locator('#passkey-button').click();
    await visitor.sees(texts.passkeys.known);
    await page.locator('#passkey-1-action').click();
    await page.getByLabel(words.name).fill('My laptop');
    await page.locator('#passkey-save').click();
    await visitor.sees(texts.account.done.passkeyNamed);
    await page.locator('#passkey-1-action').click();
    await visitor.arrivesAt('My laptop');
    expect(await faultsInLanguage(page, 'account-passkey', 'de')).toEqual([]);
    await page.locator('#passkey-remove').click();
    await visitor.sees(texts.account.done.passkeyRemoved);
    await visitor.sees(words.none);
    expect(visitor.complaints).toEqual([]);
  });
});
