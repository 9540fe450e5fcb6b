import { beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../../src/domain/shared/random.js';
import { png } from '../support/pictures.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import { codeIn, type Visitor } from './support/visitor.js';

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
    await expect.poll(() => visitor.focused()).toBe('password');
    await expect.poll(() => page.locator('.who').innerText()).toContain(human.loginName);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    await expect
      .poll(() => visitor.autocompletes())
      .toEqual({
        loginName: 'username',
        password: 'current-password',
        newPassword: 'new-password',
        repeatPassword: 'new-password',
      });
    expect(await faultsInLanguage(page, 'change-password', locale)).toEqual([]);

    await fill(visitor, PASSWORD, 'short');
    await page.locator('#password-submit').click();
    await visitor.sees(texts.newPassword.problems['password-too-weak'].summary);
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    expect(await faultsInLanguage(page, 'change-password-weak', locale)).toEqual([]);
    for (const id of ['password', 'newPassword', 'repeatPassword']) {
      await expect.poll(() => page.locator(`#${id}`).inputValue()).toBe('');
    }
    await fill(visitor, 'Not-the-Passw0rd', NEXT);
    await page.locator('#password-submit').click();
    await visitor.sees(texts.changePassword.problems['current-wrong'].summary);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'change-password-wrong', locale)).toEqual([]);

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
    await expect.poll(() => visitor.focused()).toBe('newPassword');
    await keyboard.type(NEXT);
    await visitor.tabTo('repeatPassword', 2);
    await keyboard.type(NEXT);
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    await expect.poll(() => visitor.focused()).toBe('password');
    await keyboard.type(PASSWORD);
    await visitor.tabTo('password-submit');
    await expect.poll(() => visitor.focusRing()).toBe('solid');
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
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.locator('.foot summary').click();
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await visitor.arrivesAt('Passwort ändern');
    await page.goBack();
    await visitor.arrivesAt('Passwort ändern');
    await fill(visitor, PASSWORD, NEXT);
    await page.locator('#password-submit').dblclick();
    await visitor.isBack();
    await page.goBack();
    await visitor.arrivesAt('Diese Anmeldung ist abgelaufen');
    await page.getByRole('link', { name: 'Neu beginnen' }).click();
    await visitor.isBack();
  });
});

describe('an address that nobody has verified', () => {
  async function importUnverified(): Promise<ImportedHuman> {
    const email = `unverified-${randomToken(8)}@post.example`;
    const human = await stage().importHuman({ password: PASSWORD, email: { email, isEmailVerified: false } });
    return { ...human, email };
  }

  /** The code of the newest mail, once so many have come. */
  async function codeFor({ email }: ImportedHuman, mails = 1): Promise<string> {
    return codeIn(await stage().mailTo(email, mails));
  }

  it.each(['en', 'de'])(
    'is asked for a code, refused and verified on pages without a fault (%s)',
    async (locale) => {
      const human = await importUnverified();
      const visitor = await stage().visit({ locale });
      const { page, texts } = visitor;
      await signsIn(visitor, human);
      await visitor.arrivesAt(texts.verifyEmail.title);
      await expect.poll(() => visitor.focused()).toBe('code');
      await expect.poll(() => visitor.autocompletes()).toEqual({ code: 'one-time-code' });
      await expect.poll(() => page.locator('.lead').innerText()).toContain('u•••@post.example');
      await expect.poll(() => page.locator('.who').innerText()).toContain(human.loginName);
      await expect.poll(() => visitor.look()).toEqual(LOOK);
      await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(true);
      expect(await faultsInLanguage(page, 'verify-step', locale)).toEqual([]);

      await page.locator('#code').fill('WRONG2');
      await page.locator('#verify-submit').click();
      await visitor.sees(texts.code.problems['code-not-valid'].summary);
      await expect.poll(() => visitor.focused()).toBe('error-summary');
      await expect.poll(() => page.locator('#code').inputValue()).toBe('WRONG2');
      await expect.poll(() => visitor.look()).toEqual(LOOK);
      expect(await faultsInLanguage(page, 'verify-step-wrong', locale)).toEqual([]);

      await stage().advance(61);
      await page.reload();
      await visitor.arrivesAt(texts.verifyEmail.title);
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      const first = await codeFor(human);
      await page.locator('#resend-submit').click();
      await visitor.sees(texts.code.sentAgain);
      await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(true);
      await expect.poll(() => page.locator('.time').innerText()).toMatch(/^(?:1:00|0:5\d)$/);
      expect(await faultsInLanguage(page, 'verify-step-sent-again', locale)).toEqual([]);
      const second = await codeFor(human, 2);

      await page.locator('#code').fill(first);
      await page.locator('#verify-submit').click();
      await visitor.sees(texts.code.problems['code-not-valid'].summary);
      await page.locator('#code').fill(` ${second.toLowerCase()} `);
      await page.locator('#verify-submit').click();
      await visitor.isBack();
      expect(await stage().isEmailVerified(human.userId)).toBe(true);
    },
  );

  it('is verified by keyboard alone, and the countdown lets the button go', async () => {
    const human = await importUnverified();
    const code = await codeFor(human);
    const visitor = await stage().visit();
    const { page } = visitor;
    await page.clock.install();
    await signsIn(visitor, human);
    await expect.poll(() => visitor.focused()).toBe('code');
    await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(true);
    await page.clock.runFor(61_000);
    await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(false);
    await page.keyboard.type(code);
    await visitor.tabTo('verify-submit', 1);
    await expect.poll(() => visitor.focusRing()).toBe('solid');
    await page.keyboard.press('Enter');
    await visitor.isBack();
  });

  it('is verified without scripts; a code that is asked for too soon is not promised', async () => {
    const human = await importUnverified();
    const code = await codeFor(human);
    const visitor = await stage().visit({ scripts: false });
    const { page, texts } = visitor;
    await signsIn(visitor, human);
    await visitor.arrivesAt(texts.verifyEmail.title);
    await page.locator('#resend-submit').click();
    await visitor.arrivesAt(texts.verifyEmail.title);
    await expect.poll(() => page.getByText(texts.code.sentAgain).count()).toBe(0);
    await page.locator('#code').fill(code);
    await page.locator('#verify-submit').click();
    await visitor.isBack();
  });

  it('survives two presses, reload, the way back and the link of the mail in another window', async () => {
    const human = await importUnverified();
    const mail = await stage().mailTo(human.email);
    const visitor = await stage().visit();
    const { page, texts } = visitor;
    await signsIn(visitor, human);
    await visitor.arrivesAt(texts.verifyEmail.title);
    await page.reload();
    await visitor.arrivesAt(texts.verifyEmail.title);
    const other = await visitor.openWindow();
    await other.goto(visitor.linkIn(mail));
    await other.locator('#verify-submit').dblclick();
    await other.getByRole('heading', { name: texts.emailVerified.title }).waitFor();
    await page.reload();
    await visitor.isBack();
    await page.goBack();
    await visitor.arrivesAt(texts.expired.title);
    await page.getByRole('link', { name: texts.waysOn.beginAgain }).click();
    await visitor.isBack();
  });
});
