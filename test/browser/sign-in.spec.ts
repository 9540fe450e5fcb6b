import { describe, expect, it } from 'vitest';
import { useStage } from './support/stage.js';

// Signing in as people do it: led here by an application, with mistakes, by keyboard alone, with and without scripts.

const stage = useStage();

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('somebody %s whom an application sends to sign in', (_, scripts) => {
  it('corrects a wrong password and is back in the application with a code', async () => {
    const { admin } = stage().credentials;
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;
    const departure = stage().depart();

    await page.goto(departure.url);
    expect(await visitor.heading()).toBe('Sign in');
    expect(await page.getByText('to continue to').innerText()).toBe('to continue to Tour PKCE application');
    await expect.poll(() => visitor.focused()).toBe('loginName');

    await visitor.signIn(admin.loginName, 'Not-the-Passw0rd');
    const summary = page.getByRole('alert');
    expect(await summary.innerText()).toContain('The login name or the password is wrong.');
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    expect(await page.title()).toMatch(/^Error: Sign in/);
    expect(await page.getByLabel('Login name').inputValue()).toBe(admin.loginName);
    const password = page.getByLabel('Password', { exact: true });
    expect(await password.inputValue()).toBe('');
    expect(await password.getAttribute('aria-invalid')).toBe('true');
    // the summary's link leads into the field
    await summary.getByRole('link').click();
    expect(await visitor.focused()).toBe('password');

    await visitor.signIn(admin.loginName, admin.password);
    await page.waitForURL(`${stage().credentials.pkceApplication.redirectUri}?**`);
    expect(await visitor.heading()).toBe('Back in the application');
    const answer = new URL(page.url()).searchParams;
    expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(answer.get('state')).toBe(departure.state);
    expect(answer.get('iss')).toBe(stage().issuer);
    expect(await stage().redeem(answer.get('code'), departure)).toMatchObject({ token_type: 'Bearer' });
  });

  it('is told what is missing when the form is sent empty', async () => {
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;
    await page.goto(stage().depart().url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('Enter your login name.');
    await page.getByLabel('Login name').fill('somebody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('Enter your password.');
    expect(await page.getByLabel('Login name').inputValue()).toBe('somebody');
  });

  it('signs in without touching the mouse', async () => {
    const { admin } = stage().credentials;
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;
    const { keyboard } = page;
    await page.goto(stage().depart().url);
    await expect.poll(() => visitor.focused()).toBe('loginName');
    await keyboard.type(admin.loginName);
    await keyboard.press('Tab');
    expect(await visitor.focused()).toBe('password');
    await keyboard.type('Not-the-Passw0rd');
    await keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    // one step into the summary, and through its link into the field
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    expect(await visitor.focused()).toBe('password');
    expect(await visitor.focusRing()).toBe('solid');
    await keyboard.type(admin.password);
    if (scripts) {
      await keyboard.press('Tab');
      expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Show');
      await keyboard.press('Space');
      expect(await page.locator('#password').getAttribute('type')).toBe('text');
    }
    await keyboard.press('Tab');
    expect(await visitor.focused()).toBe('login-submit');
    expect(await visitor.focusRing()).toBe('solid');
    await keyboard.press('Enter');
    await page.waitForURL(`${stage().credentials.pkceApplication.redirectUri}?**`);
  });
});
