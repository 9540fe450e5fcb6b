import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlainOAuthProvider } from '../support/plain-oauth-provider.js';
import { eventually } from '../workers/support/eventually.js';
import { faultsInLanguage } from './support/appearance.js';
import type { Departure } from './support/application.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import { codeIn, type Visitor, type VisitorOptions } from './support/visitor.js';

// An application wants a new sign-in of somebody who has nothing here, and comes by a provider that cannot be asked for one: from the
// sign-in page through a mailed code back to the application.

const stage = useStage({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });

let plain: PlainOAuthProvider;
let idpId: string;
beforeAll(async () => {
  plain = await PlainOAuthProvider.start();
  const settings = { ...plain.settings, name: 'Octo Works' };
  const added = await stage().asRoot<{ readonly id: string }>('POST', 'management/v1/idps', settings);
  idpId = added.id;
  await stage().asRoot('POST', `management/v1/idps/${idpId}/_activate`);
});
afterAll(async () => {
  await plain.stop();
});

interface Asked {
  readonly human: ImportedHuman;
  readonly visitor: Visitor;
  /** Of the request that wants a new sign-in. */
  readonly departure: Departure;
}

/** Somebody who has come by the provider, at the sign-in page of a request that wants them to sign in anew. */
async function askedAnew(options: VisitorOptions): Promise<Asked> {
  const human = await stage().importHuman();
  const { userId } = human;
  await stage().asRoot('POST', `management/v1/users/${userId}/idps`, { idpId, externalUserId: userId });
  plain.user = { id: userId, login: 'octo' };
  const visitor = await stage().visit({ ...options, hosts: [new URL(plain.origin).host] });
  const { page, texts } = visitor;
  await page.goto(stage().depart().url);
  await page.getByRole('link', { name: 'Octo Works' }).click();
  await visitor.isBack();
  const departure = stage().depart({ prompt: 'login' });
  await page.goto(departure.url);
  await visitor.arrivesAt(texts.signIn.title);
  return { human, visitor, departure };
}

/** Of all mails to them the one that the page has asked for, in whichever language. */
const SUBJECT = /^(?:Your code|Ihr Code) /;

async function mailedCode({ email }: ImportedHuman): Promise<string> {
  return await eventually(`a code to ${email}`, 60_000, () => {
    const mail = stage()
      .mailbox.messages(email)
      .find(({ subject }) => SUBJECT.test(subject ?? ''));
    return mail && codeIn(mail);
  });
}

async function isBackWith({ visitor, departure }: Asked): Promise<void> {
  await visitor.isBack();
  const back = new URL(visitor.page.url());
  expect(back.searchParams.get('state')).toBe(departure.state);
  const { id_token: token } = await stage().redeem(back.searchParams.get('code'), departure);
  expect(token).not.toBe('');
}

describe.each(['en', 'de'])('in %s', (locale) => {
  it('the way by a mailed code has no page with a fault', async () => {
    const asked = await askedAnew({ locale });
    const { human, visitor } = asked;
    const { page, texts } = visitor;
    await expect.poll(() => page.locator('.notice').innerText()).toContain('Octo Works');
    await expect.poll(() => page.locator('.providers a').count()).toBe(0);
    expect(await faultsInLanguage(page, 'code-by-mail-sign-in', locale)).toEqual([]);

    await page.getByRole('link', { name: texts.signIn.codeByMail }).click();
    await visitor.arrivesAt(texts.account.confirm.title);
    expect(await faultsInLanguage(page, 'code-by-mail-offer', locale)).toEqual([]);
    // whoever would rather type a password after all is not led away from the application
    await page.getByRole('link', { name: texts.forgottenPassword.backToSignIn }).click();
    await visitor.arrivesAt(texts.signIn.title);
    await page.getByRole('link', { name: texts.signIn.codeByMail }).click();
    await visitor.arrivesAt(texts.account.confirm.title);
    await page.locator('#send-code').click();
    await page.locator('#code').waitFor();
    await expect.poll(() => visitor.focused()).toBe('code');
    await expect.poll(() => visitor.autocompletes()).toEqual({ code: 'one-time-code' });
    expect(await faultsInLanguage(page, 'code-by-mail-sent', locale)).toEqual([]);
    await page.locator('#code').fill('WRONG2');
    await page.locator('#verify-submit').click();
    await page.getByRole('alert').waitFor();
    expect(await faultsInLanguage(page, 'code-by-mail-wrong', locale)).toEqual([]);

    await page.locator('#code').fill(await mailedCode(human));
    await page.locator('#verify-submit').click();
    await visitor.arrivesAt(texts.chooseAccount.title);
    expect(await faultsInLanguage(page, 'code-by-mail-accounts', locale)).toEqual([]);
    await page.locator('.account', { hasText: human.loginName }).click();
    await isBackWith(asked);
  });
});

it('goes by keyboard alone', async () => {
  const asked = await askedAnew({});
  const { human, visitor } = asked;
  const { page, texts } = visitor;
  await page.getByRole('link', { name: texts.signIn.codeByMail }).focus();
  await page.keyboard.press('Enter');
  await visitor.arrivesAt(texts.account.confirm.title);
  await visitor.tabTo('send-code', 20);
  await expect.poll(() => visitor.focusRing()).toBe('solid');
  await page.keyboard.press('Enter');
  await expect.poll(() => visitor.focused()).toBe('code');
  await page.keyboard.type(await mailedCode(human));
  await page.keyboard.press('Enter');
  await visitor.arrivesAt(texts.chooseAccount.title);
  await visitor.tabTo('account-1', 20);
  await page.keyboard.press('Enter');
  await isBackWith(asked);
});

it('goes without scripts', async () => {
  const asked = await askedAnew({ scripts: false });
  const { human, visitor } = asked;
  const { page, texts } = visitor;
  await page.getByRole('link', { name: texts.signIn.codeByMail }).click();
  await visitor.arrivesAt(texts.account.confirm.title);
  await page.locator('#send-code').click();
  await page.locator('#code').fill(await mailedCode(human));
  await page.locator('#verify-submit').click();
  await visitor.arrivesAt(texts.chooseAccount.title);
  await page.locator('.account', { hasText: human.loginName }).click();
  await isBackWith(asked);
});
