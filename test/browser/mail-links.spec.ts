import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useStage } from './support/stage.js';

// The two mails of an import, from the mailbox through the browser to an account that works.

const stage = useStage();

const PASSWORD = 'Ballast-7-Anchors';

/** As an old system kept it. */
function oldHash(password: string): string {
  const salt = Buffer.from('salt of the old system');
  const key = pbkdf2Sync(password, salt, 27_500, 32, 'sha256');
  return `$pbkdf2-sha256$27500$${salt.toString('base64')}$${key.toString('base64')}`;
}

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('somebody %s', (_, scripts) => {
  it('imported without a password sets one by the link of the one mail, and signs in with it', async () => {
    const human = await stage().importHuman();
    const mail = await stage().mailTo(human.email);
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;

    // from the mailbox's page, as a reader of mail gets there
    await page.goto(`${stage().mailbox.url}/messages/${mail.id}`);
    const opened = page.waitForEvent('popup');
    await page.frameLocator('iframe').getByRole('link', { name: 'Set password' }).click();
    const window = await opened;
    await window.getByRole('heading', { name: 'Set your password' }).waitFor();
    await window.close();

    await page.goto(visitor.linkIn(mail));
    await expect
      .poll(() => page.getByRole('group', { name: 'Account' }).innerText())
      .toContain(human.loginName);
    await expect.poll(() => page.getByLabel('Code').inputValue()).toMatch(/^[A-Z0-9]{6,}$/);
    const password = page.getByLabel('New password', { exact: true });
    const repeat = page.getByLabel('Repeat new password');
    const submit = page.getByRole('button', { name: 'Set password' });

    await password.fill('short');
    await repeat.fill('short');
    await submit.click();
    await visitor.sees('Choose a password that meets every requirement on the list.');
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    await expect
      .poll(() => page.locator('.rules .unmet').allInnerTexts())
      .toEqual([
        'at least 8 characters (missing)',
        'an upper-case letter (A–Z) (missing)',
        'a number (0–9) (missing)',
        'a symbol, such as ! or # (missing)',
      ]);
    for (const field of [password, repeat]) await expect.poll(() => field.inputValue()).toBe('');

    await password.fill(PASSWORD);
    await repeat.fill(`${PASSWORD}?`);
    await submit.click();
    await visitor.sees('The two passwords differ.');

    await password.fill(PASSWORD);
    await repeat.fill(PASSWORD);
    await submit.click();
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
    await expect.poll(() => page.getByText('is verified').innerText()).toContain('a•••@post.example');

    await page.goto(visitor.linkIn(mail));
    await expect.poll(() => visitor.heading()).toBe('This link is no longer valid');

    await page.goto(stage().depart().url);
    await visitor.signIn(human.loginName, PASSWORD);
    await page.waitForURL('**/pkce/callback?**');
    expect(stage().mailbox.messages(human.email)).toHaveLength(1);
  });

  it('imported with a hash verifies the address by the link of the one mail', async () => {
    const email = { email: `unverified-${String(scripts)}@post.example`, isEmailVerified: false };
    const human = await stage().importHuman({ email, hashedPassword: { value: oldHash(PASSWORD) } });
    const mail = await stage().mailTo(email.email);
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;

    await page.goto(visitor.linkIn(mail));
    await expect.poll(() => visitor.heading()).toBe('Verify your e-mail address');
    expect(await stage().isEmailVerified(human.userId)).toBe(false);
    const code = page.getByLabel('Code');
    const sent = await code.inputValue();
    await code.fill('WRONG2');
    await page.getByRole('button', { name: 'Verify' }).click();
    await visitor.sees('This code is wrong or no longer valid.');
    await code.fill(sent.toLowerCase());
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Your e-mail address is verified' }).waitFor();
    expect(await stage().isEmailVerified(human.userId)).toBe(true);

    await page.goto(visitor.linkIn(mail));
    await expect.poll(() => visitor.heading()).toBe('This link is no longer valid');

    await page.goto(stage().depart().url);
    await visitor.signIn(human.loginName, PASSWORD);
    await page.waitForURL('**/pkce/callback?**');
    expect(stage().mailbox.messages(email.email)).toHaveLength(1);
  });
});

it('sets a password by keyboard alone', async () => {
  const human = await stage().importHuman();
  const mail = await stage().mailTo(human.email);
  const visitor = await stage().visit();
  const { page } = visitor;
  const { keyboard } = page;
  await page.goto(visitor.linkIn(mail));
  await expect.poll(() => visitor.focused()).toBe('newPassword');
  await keyboard.type('short');
  await keyboard.press('Tab'); // the show switch
  await keyboard.press('Tab');
  await expect.poll(() => visitor.focused()).toBe('repeatPassword');
  await keyboard.type('short');
  await keyboard.press('Enter');
  await expect.poll(() => visitor.focused()).toBe('error-summary');
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await expect.poll(() => visitor.focused()).toBe('newPassword');
  await keyboard.type(PASSWORD);
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await keyboard.type(PASSWORD);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
});
