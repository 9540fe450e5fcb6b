import { beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../../src/domain/shared/random.js';
import { png } from '../support/pictures.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage } from './support/stage.js';
import { codeIn, type Visitor } from './support/visitor.js';

// Somebody new makes an account: from the application through the form and the real mail back to the application.

const stage = useStage();

const PASSWORD = 'Ballast-7-Anchors';
const LOOK = { accent: '#9b2c00', logo: 'Lighthouse Ltd' };

beforeAll(async () => {
  await stage().brand({ accentColor: LOOK.accent, logo: png().toString('base64') });
  await stage().replacePolicy('login', { allowRegister: true });
});

interface Newcomer {
  readonly name: string;
  readonly email: string;
}

function newcomer(): Newcomer {
  const name = `n${randomToken(9).replaceAll(/\W/g, '').toLowerCase()}`;
  return { name, email: `${name}@post.example` };
}

async function fillIn({ page }: Visitor, { email }: Newcomer): Promise<void> {
  await page.locator('#email').fill(email);
  await choosePassword(page);
}

async function choosePassword(page: Visitor['page'], password = PASSWORD): Promise<void> {
  await page.locator('#newPassword').fill(password);
}

/** From the sign-in page of an application to the form. */
async function openForm(visitor: Visitor): Promise<string> {
  const departure = stage().depart();
  await visitor.page.goto(departure.url);
  await visitor.page.getByRole('link', { name: visitor.texts.signIn.createAccount }).click();
  await visitor.arrivesAt(visitor.texts.register.title);
  return departure.state;
}

describe.each(['en', 'de'])('in %s', (locale) => {
  it('the way to an account has no page with a fault', async () => {
    const somebody = newcomer();
    const visitor = await stage().visit({ locale });
    const { page, texts } = visitor;
    const state = await openForm(visitor);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    await expect.poll(() => page.locator('.lead').innerText()).toContain('Tour PKCE application');
    await expect
      .poll(() => visitor.autocompletes())
      .toEqual({
        email: 'username',
        newPassword: 'new-password',
      });
    expect(await faultsInLanguage(page, 'register', locale)).toEqual([]);

    await fillIn(visitor, { ...somebody, email: 'mary@' });
    await choosePassword(page, 'short');
    await page.locator('#register-submit').click();
    await expect.poll(() => visitor.focused()).toBe('error-summary');
    await visitor.sees(texts.register.problems['email-not-valid'].summary);
    await expect.poll(() => page.locator('#email').inputValue()).toBe('mary@');
    await expect.poll(() => page.locator('#newPassword').inputValue()).toBe('');
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'register-refused', locale)).toEqual([]);

    await fillIn(visitor, somebody);
    await page.locator('#register-submit').click();
    await visitor.arrivesAt(texts.verifyEmail.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    await expect.poll(() => page.locator('.lead').innerText()).toContain('n•••@post.example');
    expect(await faultsInLanguage(page, 'register-verify', locale)).toEqual([]);
    await page.locator('#code').fill('WRONG2');
    await page.locator('#verify-submit').click();
    await visitor.sees(texts.code.problems['code-not-valid'].summary);
    expect(await faultsInLanguage(page, 'register-verify-wrong', locale)).toEqual([]);
    await page.locator('#code').fill(codeIn(await stage().mailTo(somebody.email)));
    await page.locator('#verify-submit').click();
    await visitor.isBack();
    await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe(state);
  });
});

it('an account is made by keyboard alone', async () => {
  const { email } = newcomer();
  const visitor = await stage().visit();
  const { keyboard } = visitor.page;
  await openForm(visitor);
  await expect.poll(() => visitor.focused()).toBe('email');
  await keyboard.type(email);
  await visitor.tabTo('newPassword', 1);
  await keyboard.type(PASSWORD);
  await visitor.tabTo('register-submit', 2);
  await expect.poll(() => visitor.focusRing()).toBe('solid');
  await keyboard.press('Enter');
  await visitor.arrivesAt('Verify your e-mail address');
  await expect.poll(() => visitor.focused()).toBe('code');
  await keyboard.type(codeIn(await stage().mailTo(email)));
  await keyboard.press('Enter');
  await visitor.isBack();
});

it('an account is made without scripts, by the link of the mail', async () => {
  const somebody = newcomer();
  const visitor = await stage().visit({ scripts: false });
  await openForm(visitor);
  await fillIn(visitor, somebody);
  await choosePassword(visitor.page, 'short');
  await visitor.page.locator('#register-submit').click();
  await visitor.sees('Choose a password that meets every requirement on the list.');
  await choosePassword(visitor.page);
  await visitor.page.locator('#register-submit').click();
  await visitor.arrivesAt('Verify your e-mail address');
  const mail = await stage().mailTo(somebody.email);
  await visitor.page.goto(visitor.linkIn(mail));
  await visitor.page.locator('#verify-submit').click();
  await visitor.isBack();
});

it('a mail that is read on another device sends its reader back, and the code is typed where it began', async () => {
  const somebody = newcomer();
  const visitor = await stage().visit();
  await openForm(visitor);
  await fillIn(visitor, somebody);
  await visitor.page.locator('#register-submit').click();
  await visitor.arrivesAt('Verify your e-mail address');
  const phone = await stage().visit();
  const mail = await stage().mailTo(somebody.email);
  await phone.page.goto(phone.linkIn(mail));
  await phone.arrivesAt('Continue where you started');
  await expect.poll(() => phone.look()).toEqual(LOOK);
  await expect.poll(() => phone.page.locator('#verify-submit').count()).toBe(0);
  expect(await faultsInLanguage(phone.page, 'register-elsewhere', 'en')).toEqual([]);
  await visitor.page.reload();
  await visitor.page.locator('#code').fill(codeIn(mail));
  await visitor.page.locator('#verify-submit').click();
  await visitor.isBack();
});

it('a login name is asked for where the policy says so, and its problems are told', async () => {
  const { name, email } = newcomer();
  await stage().replacePolicy('login', { allowRegister: true, requireLoginName: true });
  try {
    const visitor = await stage().visit();
    const { page, texts } = visitor;
    await openForm(visitor);
    await page.getByLabel(texts.register.loginName).fill('two words');
    await fillIn(visitor, { name, email });
    await page.locator('#register-submit').click();
    await visitor.sees(texts.register.problems['login-name-not-valid'].summary);
    await expect.poll(() => page.locator('#loginName').inputValue()).toBe('two words');
    expect(await faultsInLanguage(page, 'register-login-name', 'en')).toEqual([]);
    await page.getByLabel(texts.register.loginName).fill(name);
    await choosePassword(page);
    await page.locator('#register-submit').click();
    await visitor.arrivesAt(texts.verifyEmail.title);
  } finally {
    await stage().replacePolicy('login', { allowRegister: true });
  }
});

it('two presses, reload, the way back and another code do no harm', async () => {
  const somebody = newcomer();
  const visitor = await stage().visit();
  const { page, texts } = visitor;
  await openForm(visitor);
  await page.locator('#register-submit').click();
  await page.getByRole('alert').waitFor();
  await page.reload();
  await visitor.arrivesAt(texts.register.title);
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await fillIn(visitor, somebody);
  await page.locator('#register-submit').dblclick();
  await visitor.arrivesAt(texts.verifyEmail.title);
  await page.reload();
  await visitor.arrivesAt(texts.verifyEmail.title);
  await page.goBack();
  await visitor.arrivesAt(texts.register.title);
  await page.goForward();
  await visitor.arrivesAt(texts.verifyEmail.title);
  const first = codeIn(await stage().mailTo(somebody.email));

  await stage().advance(61);
  await page.reload();
  await page.locator('#resend-submit').click();
  await visitor.sees(texts.code.sentAgain);
  await expect.poll(() => page.locator('#resend-submit').isDisabled()).toBe(true);
  expect(await faultsInLanguage(page, 'register-sent-again', 'en')).toEqual([]);
  const second = codeIn(await stage().mailTo(somebody.email, 2));
  await page.reload();
  await page.locator('#code').fill(first);
  await page.locator('#verify-submit').click();
  await page.getByRole('alert').waitFor();
  await page.locator('#code').fill(second);
  await page.locator('#verify-submit').dblclick();
  await visitor.isBack();
  expect(stage().mailbox.messages(somebody.email)).toHaveLength(2);
  await page.goBack();
  await visitor.arrivesAt(texts.linkOver.title);
});

it('prompt=create leads to the form at once, and from it to the sign-in page', async () => {
  const visitor = await stage().visit();
  await visitor.page.goto(stage().depart({ prompt: 'create' }).url);
  await visitor.arrivesAt('Create your account');
  await visitor.page.getByRole('link', { name: 'Sign in to an existing account' }).click();
  await visitor.arrivesAt('Sign in');
  const { admin } = stage().credentials;
  await visitor.signIn(admin.loginName, admin.password);
  await visitor.isBack();
});

it('where registration is off, a page says so and offers no form', async () => {
  const visitor = await stage().visit();
  const { page, texts } = visitor;
  await openForm(visitor);
  await stage().replacePolicy('login', { allowRegister: false });
  try {
    await fillIn(visitor, newcomer());
    await page.locator('#register-submit').click();
    await visitor.arrivesAt(texts.errors.kinds['registration-off'].title);
    expect(await faultsInLanguage(page, 'registration-off', 'en')).toEqual([]);
    await page.goto(stage().depart().url);
    await visitor.arrivesAt(texts.signIn.title);
    await expect.poll(() => page.getByRole('link', { name: texts.signIn.createAccount }).count()).toBe(0);
    await page.goto(stage().depart({ prompt: 'create' }).url);
    await visitor.arrivesAt(texts.signIn.title);
    await page.getByText(texts.errors.kinds['registration-off'].title).waitFor();
    expect(await faultsInLanguage(page, 'sign-in-registration-off', 'en')).toEqual([]);
  } finally {
    await stage().replacePolicy('login', { allowRegister: true });
  }
});
