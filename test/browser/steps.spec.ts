import { beforeAll, describe, expect, it } from 'vitest';
import type { MailboxMessage } from '../../scripts/mailbox.mjs';
import { png } from '../support/pictures.js';
import { faultsOf } from './support/appearance.js';
import { type ImportedHuman, useStage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';

// What somebody has to do in the middle of a sign-in: a password that somebody else chose, an address that nobody has
// verified yet.

const stage = useStage();

const PASSWORD = 'Ballast-7-Anchors';
const NEXT = 'Mooring-8-Bollards';
/** White text goes on it, and in the dark it is too dim for text of its own. */
const LOOK = { accent: '#7a1f5c', logo: 'Lighthouse Ltd' };

beforeAll(async () => {
  await stage().brand({ accentColor: LOOK.accent, logo: png().toString('base64') });
});

async function signsIn(visitor: Visitor, { loginName }: ImportedHuman, password = PASSWORD): Promise<void> {
  await visitor.page.goto(stage().depart().url);
  await visitor.signIn(loginName, password);
}

describe('a password that must be changed', () => {
  const initial = { password: PASSWORD, passwordChangeRequired: true };

  async function fill({ page }: Visitor, current: string, next: string, repeat = next): Promise<void> {
    await page.locator('#password').fill(current);
    await page.locator('#newPassword').fill(next);
    await page.locator('#repeatPassword').fill(repeat);
  }

  it.each(['en', 'de'])('is asked for, refused and changed on pages without a fault (%s)', async (locale) => {
    const human = await stage().importHuman(initial);
    const visitor = await stage().visit({ locale });
    const { page, texts } = visitor;
    await signsIn(visitor, human);
    await visitor.arrivesAt(texts.changePassword.title);
    expect(await visitor.focused()).toBe('password');
    expect(await page.locator('.who').innerText()).toContain(human.loginName);
    expect(await visitor.look()).toEqual(LOOK);
    expect(await visitor.autocompletes()).toEqual({
      loginName: 'username',
      password: 'current-password',
      newPassword: 'new-password',
      repeatPassword: 'new-password',
    });
    expect(await faultsOf(page, `change-password-${locale}`)).toEqual([]);

    await fill(visitor, PASSWORD, 'short');
    await page.locator('#password-submit').click();
    await visitor.sees(texts.newPassword.problems['password-too-weak'].summary);
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    expect(await faultsOf(page, `change-password-weak-${locale}`)).toEqual([]);
    for (const id of ['password', 'newPassword', 'repeatPassword']) {
      expect(await page.locator(`#${id}`).inputValue()).toBe('');
    }
    await fill(visitor, 'Not-the-Passw0rd', NEXT);
    await page.locator('#password-submit').click();
    await visitor.sees(texts.changePassword.problems['current-wrong'].summary);
    expect(await visitor.look()).toEqual(LOOK);
    expect(await faultsOf(page, `change-password-wrong-${locale}`)).toEqual([]);

    await fill(visitor, PASSWORD, NEXT);
    await page.locator('#password-submit').click();
    await visitor.isBack();
  });

  it('is changed by keyboard alone', async () => {
    const human = await stage().importHuman(initial);
    const visitor = await stage().visit();
    const { keyboard } = visitor.page;
    await signsIn(visitor, human);
    await expect.poll(() => visitor.focused()).toBe('password');
    await keyboard.type(PASSWORD);
    await visitor.tabTo('newPassword', 2);
    await keyboard.type('short');
    await visitor.tabTo('repeatPassword', 2);
    await keyboard.type('short');
    await keyboard.press('Enter');
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    // one step into the summary, and through its link into the field
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    expect(await visitor.focused()).toBe('newPassword');
    await keyboard.type(NEXT);
    await visitor.tabTo('repeatPassword', 2);
    await keyboard.type(NEXT);
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    expect(await visitor.focused()).toBe('password');
    await keyboard.type(PASSWORD);
    await visitor.tabTo('password-submit');
    expect(await visitor.focusRing()).toBe('solid');
    await keyboard.press('Enter');
    await visitor.isBack();
  });

  it('is changed without scripts, and with the new one the next sign-in goes straight through', async () => {
    const human = await stage().importHuman(initial);
    const visitor = await stage().visit({ scripts: false });
    await signsIn(visitor, human);
    await visitor.arrivesAt('Change your password');
    await fill(visitor, PASSWORD, NEXT, `${NEXT}?`);
    await visitor.page.locator('#password-submit').click();
    await visitor.sees('The two passwords differ.');
    await fill(visitor, PASSWORD, NEXT);
    await visitor.page.locator('#password-submit').click();
    await visitor.isBack();
    const elsewhere = await stage().visit();
    await signsIn(elsewhere, human, NEXT);
    await elsewhere.isBack();
  });

  it('survives two presses, reload and the way back', async () => {
    const human = await stage().importHuman(initial);
    const visitor = await stage().visit();
    const { page } = visitor;
    await signsIn(visitor, human);
    await page.locator('#password-submit').click();
    await page.getByRole('alert').waitFor();
    await page.reload();
    await visitor.arrivesAt('Change your password');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.locator('.foot summary').click();
    await page.getByRole('link', { name: 'English' }).or(page.locator('.foot [aria-current]')).first().waitFor();
    // the form before it is shown as it was, and takes the same person to the same page
    await page.goBack();
    await page.goForward();
    await visitor.arrivesAt('Change your password');
    await fill(visitor, PASSWORD, NEXT);
    await page.locator('#password-submit').dblclick();
    await visitor.isBack();
    await page.goBack();
    await visitor.arrivesAt('This sign-in has expired');
    await page.getByRole('link', { name: 'Begin again' }).click();
    await visitor.isBack();
  });
});

describe('an address that nobody has verified', () => {
  async function importUnverified(): Promise<ImportedHuman> {
    const human = await stage().importHuman({
      password: PASSWORD,
      email: { email: `u${Math.random().toString(36).slice(2)}@post.example`, isEmailVerified: false },
    });
    return human;
  }

  it('placeholder', async () => {
    const human = await importUnverified();
    expect(human.userId).not.toBe('');
  });
});
