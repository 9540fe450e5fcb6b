import { beforeAll, describe, expect, it } from 'vitest';
import { png } from '../support/pictures.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage } from './support/stage.js';
import { codeIn, type Visitor } from './support/visitor.js';

// A forgotten password: from the sign-in page through the real mail to a new one, and back into the same sign-in.

const stage = useStage();

const PASSWORD = 'Ballast-7-Anchors';
const NEXT = 'Mooring-8-Bollards';
const LOOK = { accent: '#00539b', logo: 'Lighthouse Ltd' };

beforeAll(async () => {
  await stage().brand({ accentColor: LOOK.accent, logo: png().toString('base64') });
});

/** From the sign-in page of an application to the page that asks whose password it is. */
async function openForm(visitor: Visitor): Promise<string> {
  const departure = stage().depart();
  await visitor.page.goto(departure.url);
  await visitor.page.getByRole('link', { name: visitor.texts.signIn.forgottenPassword }).click();
  await visitor.arrivesAt(visitor.texts.forgottenPassword.title);
  return departure.state;
}

async function askFor(visitor: Visitor, loginName: string): Promise<void> {
  await visitor.page.locator('#loginName').fill(loginName);
  await visitor.page.locator('#reset-submit').click();
  await visitor.arrivesAt(visitor.texts.resetSent.title);
}

async function choosePassword({ page }: Visitor, password: string, repeat = password): Promise<void> {
  await page.locator('#newPassword').fill(password);
  await page.locator('#repeatPassword').fill(repeat);
  await page.locator('#password-submit').click();
}

describe.each(['en', 'de'])('in %s', (locale) => {
  it('the way to a new password has no page with a fault', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ locale });
    const { page, texts } = visitor;
    const state = await openForm(visitor);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    await expect.poll(() => visitor.autocompletes()).toEqual({ loginName: 'username' });
    expect(await faultsInLanguage(page, 'forgotten', locale)).toEqual([]);
    await page.locator('#reset-submit').click();
    await visitor.sees(texts.forgottenPassword.problems['login-name-missing'].summary);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'forgotten-empty', locale)).toEqual([]);

    await askFor(visitor, human.loginName);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(true);
    expect(await faultsInLanguage(page, 'reset-sent', locale)).toEqual([]);
    await page.getByRole('link', { name: texts.resetSent.enterCode }).click();
    await visitor.arrivesAt(texts.resetPassword.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    await expect.poll(() => visitor.focused()).toBe('code');
    await expect
      .poll(() => visitor.autocompletes())
      .toEqual({
        code: 'one-time-code',
        newPassword: 'new-password',
        repeatPassword: 'new-password',
      });
    expect(await faultsInLanguage(page, 'reset', locale)).toEqual([]);

    const code = codeIn(await stage().mailTo(human.email));
    await page.locator('#code').fill('WRONG2');
    await choosePassword(visitor, NEXT);
    await visitor.sees(texts.code.problems['code-not-valid'].summary);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'reset-wrong', locale)).toEqual([]);
    await page.locator('#code').fill(code);
    await choosePassword(visitor, NEXT);
    await visitor.arrivesAt(texts.passwordSet.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'reset-done', locale)).toEqual([]);

    await page.locator('a.button').click();
    await visitor.arrivesAt(texts.signIn.title);
    await visitor.signIn(human.loginName, NEXT);
    await visitor.isBack();
    await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe(state);
  });
});

it('a password is replaced by keyboard alone', async () => {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const { keyboard } = visitor.page;
  await openForm(visitor);
  await expect.poll(() => visitor.focused()).toBe('loginName');
  await keyboard.type(human.loginName);
  await visitor.tabTo('reset-submit', 1);
  await expect.poll(() => visitor.focusRing()).toBe('solid');
  await keyboard.press('Enter');
  await visitor.arrivesAt('Check your e-mail');
  await keyboard.press('Tab');
  await expect
    .poll(() => visitor.page.evaluate<string>('document.activeElement.textContent'))
    .toBe('Enter code');
  await keyboard.press('Enter');
  await expect.poll(() => visitor.focused()).toBe('code');
  await keyboard.type(codeIn(await stage().mailTo(human.email)));
  for (const id of ['newPassword', 'repeatPassword']) {
    await visitor.tabTo(id, 2);
    await keyboard.type(NEXT);
  }
  await keyboard.press('Enter');
  await visitor.arrivesAt('Your password is set');
});

it('a password is replaced without scripts, by the link of the mail on another device', async () => {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit({ scripts: false });
  await openForm(visitor);
  await askFor(visitor, human.email);
  // too soon for another one
  await visitor.page.locator('#resend-submit').click();
  await visitor.arrivesAt('Check your e-mail');
  const phone = await stage().visit({ scripts: false });
  await phone.page.goto(phone.linkIn(await stage().mailTo(human.email)));
  await phone.arrivesAt('Choose a new password');
  await expect.poll(() => phone.look()).toEqual(LOOK);
  await expect.poll(() => phone.page.locator('.who').innerText()).toContain(human.loginName);
  await expect
    .poll(() => phone.autocompletes())
    .toMatchObject({ loginName: 'username', newPassword: 'new-password' });
  await choosePassword(phone, NEXT, `${NEXT}?`);
  await phone.sees('The two passwords differ.');
  await choosePassword(phone, NEXT);
  await phone.arrivesAt('Your password is set');
  await visitor.page.goto(stage().depart().url);
  await visitor.signIn(human.loginName, NEXT);
  await visitor.isBack();
  expect(stage().mailbox.messages(human.email).length).toBeLessThanOrEqual(2);
});

it('a name that nobody has gets the same pages', async () => {
  const visitor = await stage().visit();
  const { page } = visitor;
  await openForm(visitor);
  await askFor(visitor, 'nobody-at-all');
  await expect.poll(() => page.locator('.card').innerText()).toContain('n•••');
  await page.getByRole('link', { name: 'Enter code' }).click();
  await page.locator('#code').fill('K7PX2M');
  await choosePassword(visitor, NEXT);
  await visitor.sees('This code is wrong or no longer valid.');
});

it('two presses, reload, the way back and another code do no harm', async () => {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const { page, texts } = visitor;
  await page.clock.install();
  await openForm(visitor);
  await page.locator('#loginName').fill(human.loginName);
  await page.locator('#reset-submit').dblclick();
  await visitor.arrivesAt(texts.resetSent.title);
  const first = codeIn(await stage().mailTo(human.email));
  expect(stage().mailbox.messages(human.email)).toHaveLength(1);

  await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(true);
  await page.clock.runFor(61_000);
  await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(false);
  await stage().advance(61);
  await page.getByRole('link', { name: texts.resetSent.otherName }).click();
  await visitor.arrivesAt(texts.forgottenPassword.title);
  await askFor(visitor, human.email);
  const second = codeIn(await stage().mailTo(human.email, 2));

  // the page itself came by a form: asked for again, it gives the page that goes on from it
  await page.reload();
  await visitor.arrivesAt(texts.resetPassword.title);
  await page.locator('#code').fill(first);
  await choosePassword(visitor, NEXT);
  await page.getByRole('alert').waitFor();
  await page.reload();
  await visitor.arrivesAt(texts.resetPassword.title);
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await page.goBack();
  await visitor.arrivesAt(texts.resetPassword.title);
  await page.goBack();
  await visitor.arrivesAt(texts.forgottenPassword.title);
  await page.goForward();
  await visitor.arrivesAt(texts.resetPassword.title);
  await page.locator('#code').fill(second);
  await page.locator('#newPassword').fill(NEXT);
  await page.locator('#repeatPassword').fill(NEXT);
  await page.locator('#password-submit').dblclick();
  await visitor.arrivesAt(texts.passwordSet.title);
  await page.locator('a.button').click();
  await visitor.signIn(human.loginName, NEXT);
  await visitor.isBack();
});
