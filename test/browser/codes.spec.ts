import { decodeJwt } from 'jose';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { NO_SMS_LIMITS } from '../support/sms.js';
import { ACCOUNT_SID, AUTH_TOKEN, TwilioDouble } from '../support/twilio-double.js';
import { eventually } from '../workers/support/eventually.js';
import { faultsInLanguage } from './support/appearance.js';
import { holdCodesBack } from './support/factors.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import { codeIn, type Visitor } from './support/visitor.js';

// Codes that travel: through the outbox and the worker to the mailbox and to a double of the SMS provider, and from there by hand
// into the page of a real browser.

const twilio = await TwilioDouble.start();
const stage = useStage({
  ...NO_SMS_LIMITS,
  TWILIO_ACCOUNT_SID: ACCOUNT_SID,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  TWILIO_FROM: '+15005550006',
  TWILIO_BASE_URL: twilio.url,
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
});
const PASSWORD = 'Correct-Horse-7';

afterAll(() => twilio.stop());
afterEach(() => stage().replacePolicy('factors', {}));

let subscriber = 7_900_000;
const aNumber = () => `+4179${(subscriber += 1)}`;

/** In the SMS that came to this number as the nth. */
async function codeTo(number: string, count: number): Promise<string> {
  const body = await eventually(`SMS ${count} to ${number}`, 20_000, () => {
    const taken = twilio.to(number);
    return taken.length < count ? undefined : taken.at(-1)?.request.form.get('Body');
  });
  const code = /\b\d{6}\b/.exec(body ?? '')?.[0];
  if (code === undefined) throw new Error('no code in the SMS');
  return code;
}

async function openAccount(visitor: Visitor, human: ImportedHuman, path: string): Promise<void> {
  await visitor.page.goto(`${stage().issuer}/login?destination=account`);
  await visitor.signIn(human.loginName, PASSWORD);
  await visitor.arrivesAt(visitor.texts.account.title);
  await visitor.page.goto(`${stage().issuer}${path}`);
}

/** In front of the page that follows the password. */
async function goTo(visitor: Visitor, human: ImportedHuman, heading: string) {
  const departure = stage().depart();
  await visitor.page.goto(departure.url);
  await visitor.signIn(human.loginName, PASSWORD);
  await visitor.arrivesAt(heading);
  return departure;
}

async function amrOf(visitor: Visitor, departure: Awaited<ReturnType<typeof goTo>>) {
  await visitor.isBack();
  const code = new URL(visitor.page.url()).searchParams.get('code');
  return decodeJwt((await stage().redeem(code, departure)).id_token)['amr'];
}

describe.each([{ scripts: true }, { scripts: false }])('with %o', ({ scripts }) => {
  it('a code by SMS is turned on, and is the second factor of the next sign-in', async () => {
    const number = aNumber();
    const human = await stage().importHuman({
      password: PASSWORD,
      phone: { phone: number, isPhoneVerified: true },
    });
    const visitor = await stage().visit({ scripts });
    const { page, texts } = visitor;
    await openAccount(visitor, human, '/account/security');
    await page.locator('a[href="/account/security/codes/sms"]').click();
    await page.locator('#send-code').click();
    await page.locator('#code').fill(await codeTo(number, 1));
    await page.keyboard.press('Enter');
    await visitor.sees(texts.account.done.smsCodes);

    const elsewhere = await stage().visit({ scripts });
    const departure = await goTo(elsewhere, human, texts.secondFactor.title);
    const field = elsewhere.page.locator('#code');
    await expect.poll(() => field.getAttribute('inputmode')).toBe('numeric');
    await elsewhere.page.waitForLoadState();
    await expect.poll(() => elsewhere.page.content()).not.toContain(number);
    if (scripts) expect(await faultsInLanguage(elsewhere.page, 'second-factor-sms', 'en')).toEqual([]);
    await field.fill('000000');
    await elsewhere.page.keyboard.press('Enter');
    await elsewhere.page.locator('#error-summary').waitFor();
    await field.fill(await codeTo(number, 2));
    await elsewhere.page.keyboard.press('Enter');
    expect(await amrOf(elsewhere, departure)).toEqual(['pwd', 'otp', 'sms', 'mfa']);
  });

  it('a phone number is changed on the account page, by the second of two codes', async () => {
    const [before, number] = [aNumber(), aNumber()];
    const human = await stage().importHuman({
      password: PASSWORD,
      phone: { phone: before, isPhoneVerified: true },
    });
    const visitor = await stage().visit({ scripts });
    const { page, texts } = visitor;
    await openAccount(visitor, human, '/account/phone/change');
    if (scripts) expect(await faultsInLanguage(page, 'account-phone-change', 'en')).toEqual([]);
    await page.locator('#phone').fill(number);
    await page.keyboard.press('Enter');
    await visitor.arrivesAt(texts.verifyPhone.title);
    const first = await codeTo(number, 1);
    if (scripts) expect(await faultsInLanguage(page, 'account-phone', 'en')).toEqual([]);
    await page.locator('#resend-submit').click();
    await visitor.sees(texts.account.done.codeSent);
    const second = await codeTo(number, 2);
    expect(second).not.toBe(first);
    await page.locator('#code').fill(first);
    await page.locator('#verify-submit').click();
    await page.locator('#error-summary').waitFor();
    await page.locator('#code').fill(second);
    await page.locator('#verify-submit').click();
    await visitor.sees(texts.account.done.phone);
    expect(twilio.to(before)).toEqual([]);
  });
});

describe('where codes by e-mail are all that the organization takes', () => {
  it.each([
    { scripts: true, locale: 'en' },
    { scripts: true, locale: 'de' },
    { scripts: false, locale: 'en' },
  ])('they are set up in the sign-in: %o', async ({ scripts, locale }) => {
    await stage().replacePolicy('factors', {
      secondFactor: 'required',
      requiredFor: 'all',
      kinds: ['email'],
    });
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ scripts, locale });
    const { page, texts } = visitor;
    const departure = await goTo(visitor, human, texts.secondFactor.setUp.title);
    if (scripts) expect(await faultsInLanguage(page, 'set-up-factor-email', locale)).toEqual([]);
    if (scripts) await visitor.tabTo('send-code');
    else await page.locator('#send-code').focus();
    await page.keyboard.press('Enter');
    const mail = await stage().mailTo(human.email);
    await page.locator('#code').waitFor();
    if (scripts) expect(await faultsInLanguage(page, 'set-up-factor-email-sent', locale)).toEqual([]);

    // another browser is told to wait for one of its own
    await holdCodesBack(stage(), human);
    const elsewhere = await stage().visit({ scripts, locale });
    await goTo(elsewhere, human, texts.secondFactor.setUp.title);
    await expect.poll(() => elsewhere.page.locator('#send-code').isDisabled()).toBe(true);

    await page.locator('#code').fill(codeIn(mail));
    await page.keyboard.press('Enter');
    expect(await amrOf(visitor, departure)).toEqual(['pwd', 'otp', 'mfa']);
    const again = await stage().visit({ scripts, locale });
    await goTo(again, human, texts.secondFactor.title);
  });
});
