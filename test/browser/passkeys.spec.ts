import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { faultsOf, photograph } from './support/appearance.js';
import { enrolPasskey } from './support/factors.js';
import { useStage } from './support/stage.js';
import { VirtualAuthenticator } from './support/virtual-authenticator.js';
import type { Visitor } from './support/visitor.js';

// Passkeys in a real browser, with the authenticator that Chromium plays: somebody has one made, signs in with it by the
// button and by what the browser offers in the field, on a second device, and with one that was copied.

const stage = useStage();
const PASSWORD = 'Correct-Horse-7';
const BUTTON = 'Sign in with a passkey';

/** Imported with a password, and a visitor whose browser keeps a passkey for them. */
async function somebody() {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const device = await VirtualAuthenticator.plugInto(visitor.page);
  await enrolPasskey(stage(), visitor, human, PASSWORD);
  await visitor.page.context().clearCookies();
  return { human, visitor, device };
}

async function claimsOf(visitor: Visitor, departure: ReturnType<ReturnType<typeof stage>['depart']>) {
  await visitor.isBack();
  const code = new URL(visitor.page.url()).searchParams.get('code');
  return decodeJwt((await stage().redeem(code, departure)).id_token);
}

describe('somebody whose browser keeps a passkey', () => {
  it('is offered it where the login name goes, and is in without typing anything', async () => {
    const { human, visitor } = await somebody();
    const departure = stage().depart();
    await visitor.page.goto(departure.url);
    expect(await claimsOf(visitor, departure)).toMatchObject({ sub: human.userId, amr: ['user', 'mfa'] });
  });

  it('signs in by the button while the field waits for an answer', async () => {
    const { human, visitor, device } = await somebody();
    await device.agrees(false);
    const departure = stage().depart();
    const asked = visitor.page.waitForResponse('**/login/passkey/challenge');
    await visitor.page.goto(departure.url);
    await asked;
    // the device agrees once the button's request is about to take over
    await visitor.page.route('**/login/passkey/challenge', async (route) => {
      await device.agrees(true);
      await route.continue();
    });
    await visitor.page.getByRole('button', { name: BUTTON }).click();
    expect(await claimsOf(visitor, departure)).toMatchObject({ sub: human.userId, amr: ['user', 'mfa'] });
  });

  it('signs in by the button, by keyboard alone', async () => {
    const { human, visitor } = await somebody();
    await VirtualAuthenticator.hideAutofill(visitor.page);
    const departure = stage().depart();
    await visitor.page.goto(departure.url);
    await visitor.page.getByRole('button', { name: BUTTON }).waitFor();
    await visitor.tabTo('passkey-button');
    await visitor.page.keyboard.press('Enter');
    expect(await claimsOf(visitor, departure)).toMatchObject({ sub: human.userId });
  });

  it('is told so when PIN or finger are wrong, and may begin with the password', async () => {
    const { human, visitor, device } = await somebody();
    await VirtualAuthenticator.hideAutofill(visitor.page);
    await device.verifies(false);
    const departure = stage().depart();
    await visitor.page.goto(departure.url);
    await visitor.page.getByRole('button', { name: BUTTON }).click();
    await visitor.sees('No passkey was used.');
    // the password is one factor, and the passkey the other: it is asked for again
    await visitor.signIn(human.loginName, PASSWORD);
    await visitor.arrivesAt('Show that it is you');
  });

  it('uses it on a second device that shares their passkeys', async () => {
    const { human, device } = await somebody();
    const [passkey] = await device.passkeys();
    const phone = await stage().visit();
    const second = await VirtualAuthenticator.plugInto(phone.page);
    if (passkey !== undefined) await second.take(passkey);
    const departure = stage().depart();
    await phone.page.goto(departure.url);
    expect(await claimsOf(phone, departure)).toMatchObject({ sub: human.userId });
  });

  it('is kept out of a copy whose counter went back, where the organization wants that', async () => {
    await stage().replacePolicy('factors', { passkeyCounter: 'refuse' });
    const { visitor, device } = await somebody();
    const [before] = await device.passkeys();
    const departure = stage().depart();
    await visitor.page.goto(departure.url);
    await visitor.isBack();
    const thief = await stage().visit();
    const copy = await VirtualAuthenticator.plugInto(thief.page);
    if (before !== undefined) await copy.take({ ...before, signCount: 0 });
    // once: the field of the page that follows would ask again, and a copy counts on with every answer
    await VirtualAuthenticator.hideAutofill(thief.page);
    await thief.page.goto(stage().depart().url);
    await thief.page.getByRole('button', { name: BUTTON }).click();
    await thief.sees('The passkey was not accepted.');
    await stage().replacePolicy('factors', {});
  });
});

describe('the button', () => {
  it('is not there without scripts, and the field has its name', async () => {
    const visitor = await stage().visit({ scripts: false });
    await visitor.page.goto(stage().depart().url);
    await expect.poll(() => visitor.autocompletes()).toMatchObject({ loginName: 'username webauthn' });
    await expect.poll(() => visitor.page.locator('#passkey-button').isVisible()).toBe(false);
  });

  it.each(['en-GB', 'de-DE'])('looks right in %s', async (locale) => {
    const visitor = await stage().visit({ locale });
    await visitor.page.goto(stage().depart().url);
    await visitor.page.locator('#passkey-button').waitFor();
    expect(await faultsOf(visitor.page, `passkey-${locale}`)).toEqual([]);
    await photograph(visitor.page, `passkey-${locale}`);
  });
});
