import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { TestAuthenticator } from '../support/factors.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import { VirtualAuthenticator } from './support/virtual-authenticator.js';
import type { Visitor } from './support/visitor.js';

// Whoever must have a second factor sets one up in the middle of the sign-in, in a real browser: a passkey by the authenticator
// that Chromium plays, an app with the codes that it would show, and what is left without scripts.

const stage = useStage();
const PASSWORD = 'Correct-Horse-7';

beforeEach(async () => {
  await stage().replacePolicy('factors', { secondFactor: 'required', requiredFor: 'all' });
});

afterEach(async () => {
  await stage().replacePolicy('factors', {});
});

/** In front of the page, with the password shown. */
async function somebodyAtPage(options: Parameters<ReturnType<typeof stage>['visit']>[0] = {}) {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit(options);
  return { human, visitor, departure: await goToPage(visitor, human) };
}

async function goToPage(visitor: Visitor, human: ImportedHuman) {
  const departure = stage().depart();
  await visitor.page.goto(departure.url);
  await visitor.signIn(human.loginName, PASSWORD);
  await visitor.arrivesAt(visitor.texts.secondFactor.setUp.title);
  return departure;
}

async function amrOf(visitor: Visitor, departure: Awaited<ReturnType<typeof goToPage>>) {
  await visitor.isBack();
  const code = new URL(visitor.page.url()).searchParams.get('code');
  return decodeJwt((await stage().redeem(code, departure)).id_token)['amr'];
}

async function setsUpApp({ page, texts }: Visitor): Promise<void> {
  await page.getByText(texts.secondFactor.setUp.orType).click();
  const app = new TestAuthenticator((await page.locator('.key').innerText()).replaceAll(/\s/g, ''));
  await page.locator('#code').fill(app.codeAt(Date.now()));
  await page.locator('#set-up-factor-submit').click();
}

describe.each(['en', 'de'])('the page, in %s', (locale) => {
  it('looks right with a passkey and with an app, and takes the app', async () => {
    const { visitor, departure } = await somebodyAtPage({ locale });
    const { page, texts } = visitor;
    await page.locator('#passkey-button').waitFor();
    expect(await faultsInLanguage(page, 'set-up-factor-passkey', locale)).toEqual([]);
    await page.getByText(texts.secondFactor.setUp.instead.totp).click();
    await page.locator('#code').waitFor();
    expect(await faultsInLanguage(page, 'set-up-factor-totp', locale)).toEqual([]);
    await page.locator('#code').fill('000000');
    await page.locator('#set-up-factor-submit').click();
    await page.locator('#error-summary').waitFor();
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    await setsUpApp(visitor);
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'otp', 'mfa']);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('somebody whose session is from before the policy', () => {
  it('signs in again from the page of the fresh proof, sets up the app, and is back at the application', async () => {
    await stage().replacePolicy('factors', {});
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit();
    const { page, texts } = visitor;
    await page.goto(stage().depart().url);
    await visitor.signIn(human.loginName, PASSWORD);
    await visitor.isBack();
    await stage().replacePolicy('factors', { secondFactor: 'required', requiredFor: 'all' });
    await runAsAdmin(
      stage().database.url,
      `UPDATE sessions SET auth_time = auth_time - interval '601 seconds' WHERE user_id = '${human.userId}'`,
    );
    const departure = stage().depart();
    await page.goto(departure.url);
    await visitor.arrivesAt(texts.account.confirm.title);
    await page.getByText(texts.account.confirm.signInAgain).click();
    await visitor.signIn(human.loginName, PASSWORD);
    await visitor.arrivesAt(texts.secondFactor.setUp.title);
    await page.getByText(texts.secondFactor.setUp.instead.totp).click();
    await setsUpApp(visitor);
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'otp', 'mfa']);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a passkey', () => {
  it('is made by keyboard alone, after its user gave up once, and is asked for the next time', async () => {
    const { human, visitor, departure } = await somebodyAtPage();
    const { page, texts } = visitor;
    const device = await VirtualAuthenticator.plugInto(page);
    await device.verifies(false);
    await page.locator('#passkey-button').waitFor();
    await visitor.tabTo('passkey-button');
    await page.keyboard.press('Enter');
    await visitor.sees(texts.passkeys.notMade);
    // what else there is stays on offer
    await visitor.sees(texts.secondFactor.setUp.instead.totp);
    await device.verifies(true);
    await page.keyboard.press('Enter');
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'user', 'mfa']);
    expect(await device.passkeys()).toHaveLength(1);
    await device.agrees(false);
    await page.context().clearCookies();
    await page.goto(stage().depart().url);
    await visitor.signIn(human.loginName, PASSWORD);
    await visitor.arrivesAt(texts.secondFactor.title);
    expect(visitor.complaints).toEqual([]);
  });

  it('is not on offer where scripts do not run: the page says so and leads to the app', async () => {
    const { visitor, departure } = await somebodyAtPage({ scripts: false });
    const { page, texts } = visitor;
    await visitor.sees(texts.secondFactor.setUp.absent);
    await expect.poll(() => page.locator('#passkey-button').isVisible()).toBe(false);
    await page.getByText(texts.secondFactor.setUp.instead.totp).click();
    await setsUpApp(visitor);
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'otp', 'mfa']);
  });
});

describe('an owner', () => {
  it('puts it off by keyboard alone', async () => {
    await stage().replacePolicy('factors', { secondFactor: 'required', requiredFor: 'owners' });
    const human = await stage().importHuman({ password: PASSWORD });
    await runAsAdmin(
      stage().database.url,
      `INSERT INTO memberships (user_id, user_org_id, role, org_id)
       SELECT id, org_id, 'ORG_OWNER', org_id FROM users WHERE id = '${human.userId}'`,
    );
    const visitor = await stage().visit();
    const departure = await goToPage(visitor, human);
    await visitor.tabTo('skip');
    await visitor.page.keyboard.press('Enter');
    expect(await amrOf(visitor, departure)).toEqual(['pwd']);
    expect(visitor.complaints).toEqual([]);
  });
});
