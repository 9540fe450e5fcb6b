import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { faultsOf, photograph } from './support/appearance.js';
import { enrolPasskey, HELD_BACK_SECONDS, holdCodesBack, importAuthenticator } from './support/factors.js';
import { useStage } from './support/stage.js';
import { VirtualAuthenticator } from './support/virtual-authenticator.js';
import { codeIn, type Visitor } from './support/visitor.js';

// What is asked for besides the password, in a real browser: a passkey by the authenticator that Chromium plays, the code of an
// app, and what is left without scripts.

const stage = useStage();
const PASSWORD = 'Correct-Horse-7';
const TITLE = 'Show that it is you';
const PASSKEY = 'Use your passkey or security key';
const APP = 'Use the code of your authenticator app';

/** Imported with a password, and a visitor whose browser keeps a passkey for them, in front of the second factor. */
async function somebody() {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const device = await VirtualAuthenticator.plugInto(visitor.page);
  await enrolPasskey(stage(), visitor, human, PASSWORD);
  await visitor.page.context().clearCookies();
  return { human, visitor, device };
}

/** The field of the name offers passkeys as well, and the device that agrees to everything would be in by it. */
async function goToStep(visitor: Visitor, loginName: string, device?: VirtualAuthenticator) {
  await device?.agrees(false);
  const departure = stage().depart();
  await visitor.page.goto(departure.url);
  await visitor.signIn(loginName, PASSWORD);
  await visitor.arrivesAt(TITLE);
  await device?.agrees(true);
  return departure;
}

async function amrOf(visitor: Visitor, departure: ReturnType<ReturnType<typeof stage>['depart']>) {
  await visitor.isBack();
  const code = new URL(visitor.page.url()).searchParams.get('code');
  return decodeJwt((await stage().redeem(code, departure)).id_token)['amr'];
}

describe('somebody who has a passkey and types the password', () => {
  it('shows the passkey as well, by keyboard alone', async () => {
    const { human, visitor, device } = await somebody();
    const departure = await goToStep(visitor, human.loginName, device);
    await visitor.page.getByRole('button', { name: PASSKEY }).waitFor();
    await visitor.tabTo('passkey-button');
    await visitor.page.keyboard.press('Enter');
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'user', 'mfa']);
  });

  it('uses it on a second device that shares their passkeys', async () => {
    const { human, device } = await somebody();
    const [passkey] = await device.passkeys();
    const phone = await stage().visit();
    const second = await VirtualAuthenticator.plugInto(phone.page);
    if (passkey !== undefined) await second.take(passkey);
    const departure = await goToStep(phone, human.loginName, second);
    await phone.page.getByRole('button', { name: PASSKEY }).click();
    expect(await amrOf(phone, departure)).toEqual(['pwd', 'user', 'mfa']);
  });

  it('is told so when PIN or finger are wrong, and takes the app instead', async () => {
    const { human, visitor, device } = await somebody();
    const app = await importAuthenticator(stage(), human);
    await device.verifies(false);
    const departure = await goToStep(visitor, human.loginName, device);
    await visitor.page.getByRole('button', { name: PASSKEY }).click();
    await visitor.sees('No passkey was used.');
    await visitor.page.getByRole('link', { name: APP }).click();
    await visitor.page.locator('#code').fill(app.codeAt(Date.now()));
    await visitor.page.keyboard.press('Enter');
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'otp', 'mfa']);
  });

  it('is kept out of a copy whose counter went back, where the organization wants that', async () => {
    await stage().replacePolicy('factors', { passkeyCounter: 'refuse' });
    const { human, visitor, device } = await somebody();
    const [before] = await device.passkeys();
    const departure = await goToStep(visitor, human.loginName, device);
    await visitor.page.getByRole('button', { name: PASSKEY }).click();
    await amrOf(visitor, departure);
    const thief = await stage().visit();
    const copy = await VirtualAuthenticator.plugInto(thief.page);
    if (before !== undefined) await copy.take({ ...before, signCount: 0 });
    await goToStep(thief, human.loginName, copy);
    await thief.page.getByRole('button', { name: PASSKEY }).click();
    await thief.sees('The passkey was not accepted.');
    await expect.poll(() => thief.focused()).toBe('error-summary');
    await stage().replacePolicy('factors', {});
  });

  it('is told what else there is where scripts do not run', async () => {
    const { human } = await somebody();
    const app = await importAuthenticator(stage(), human);
    const visitor = await stage().visit({ scripts: false });
    const departure = await goToStep(visitor, human.loginName);
    await visitor.sees('This browser cannot use a passkey on this page.');
    await expect.poll(() => visitor.page.getByRole('button', { name: PASSKEY }).isVisible()).toBe(false);
    await visitor.page.getByRole('link', { name: APP }).click();
    await visitor.page.locator('#code').fill(app.codeAt(Date.now()));
    await visitor.page.locator('#second-factor-submit').click();
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'otp', 'mfa']);
  });

  it('is spared it where they trust the browser, by keyboard alone', async () => {
    await stage().replacePolicy('factors', { trustedBrowserDays: '30' });
    const { human, visitor, device } = await somebody();
    const departure = await goToStep(visitor, human.loginName, device);
    await visitor.page.getByRole('button', { name: PASSKEY }).waitFor();
    await visitor.tabTo('trust');
    await visitor.page.keyboard.press('Space');
    await visitor.tabTo('passkey-button');
    await visitor.page.keyboard.press('Enter');
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'user', 'mfa']);
    await device.agrees(false);
    const again = stage().depart({ prompt: 'login' });
    await visitor.page.goto(again.url);
    await visitor.signIn(human.loginName, PASSWORD);
    expect(await amrOf(visitor, again)).toEqual(['pwd']);
    await stage().replacePolicy('factors', {});
  });

  it.each(['en-GB', 'de-DE'])('sees a page that looks right in %s', async (locale) => {
    const { human } = await somebody();
    await importAuthenticator(stage(), human);
    await stage().replacePolicy('factors', { trustedBrowserDays: '30' });
    const visitor = await stage().visit({ locale });
    await visitor.page.goto(stage().depart().url);
    await visitor.signIn(human.loginName, PASSWORD);
    await visitor.page.locator('#passkey-button').waitFor();
    expect(await faultsOf(visitor.page, `second-factor-passkey-${locale}`)).toEqual([]);
    await photograph(visitor.page, `second-factor-passkey-${locale}`);
    await visitor.page.locator('.ways a').first().click();
    await visitor.page.locator('#code').waitFor();
    expect(await faultsOf(visitor.page, `second-factor-totp-${locale}`)).toEqual([]);
    await photograph(visitor.page, `second-factor-totp-${locale}`);
    await stage().replacePolicy('factors', {});
  });
});

describe('somebody who has codes sent by e-mail', () => {
  it.each([{ scripts: true }, { scripts: false }])(
    'turns them on and signs in with one, with %o',
    async ({ scripts }) => {
      const human = await stage().importHuman({ password: PASSWORD });
      const visitor = await stage().visit({ scripts });
      const { page } = visitor;
      await page.goto(`${stage().issuer}/login?destination=account`);
      await visitor.signIn(human.loginName, PASSWORD);
      await page.goto(`${stage().issuer}/account/security`);
      await page.locator('a[href="/account/security/codes/email"]').click();
      if (scripts) expect(await faultsOf(page, `account-codes-${scripts}`)).toEqual([]);
      await photograph(page, `account-codes-${scripts}`);
      await page.getByRole('button', { name: 'Send code' }).click();
      const first = await stage().mailTo(human.email);
      expect(first.text).not.toContain('http');
      await page.locator('#code').fill(codeIn(first));
      await photograph(page, `account-codes-sent-${scripts}`);
      await page.keyboard.press('Enter');
      await visitor.sees('Codes by e-mail are turned on.');

      // the previous code keeps the next one waiting
      await holdCodesBack(stage(), human);
      const elsewhere = await stage().visit({ scripts });
      const departure = await goToStep(elsewhere, human.loginName);
      await elsewhere.sees('No code could be sent.');
      await photograph(elsewhere.page, `second-factor-email-none-${scripts}`);
      await stage().advance(HELD_BACK_SECONDS + 1);
      await elsewhere.page.reload();
      const mail = await stage().mailTo(human.email, 3);
      await expect.poll(() => elsewhere.autocompletes()).toMatchObject({ code: 'one-time-code' });
      if (scripts) expect(await faultsOf(elsewhere.page, `second-factor-email-${scripts}`)).toEqual([]);
      await photograph(elsewhere.page, `second-factor-email-${scripts}`);
      await elsewhere.page.locator('#code').fill(codeIn(mail));
      await elsewhere.page.keyboard.press('Enter');
      expect(await amrOf(elsewhere, departure)).toEqual(['pwd', 'otp', 'mfa']);
    },
  );
});
