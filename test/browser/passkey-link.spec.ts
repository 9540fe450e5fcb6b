import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { faultsInLanguage } from './support/appearance.js';
import { useStage } from './support/stage.js';
import { VirtualAuthenticator } from './support/virtual-authenticator.js';

// Somebody without a password gets in by a link that they were handed, in a real browser, with the authenticator that Chromium
// plays: from the link to an application's sign-in.

const stage = useStage();

async function somebodyWithLink(options: Parameters<ReturnType<typeof stage>['visit']>[0] = {}) {
  const human = await stage().importHuman({ requestPasswordlessRegistration: true });
  return { human, visitor: await stage().visit(options) };
}

describe.each(['en', 'de'])('the link, in %s', (locale) => {
  it('leads by keyboard alone to a passkey that signs in, and is over then', async () => {
    const { human, visitor } = await somebodyWithLink({ locale });
    const { page, texts } = visitor;
    const device = await VirtualAuthenticator.plugInto(page);
    await device.verifies(false);
    await page.goto(human.passkeyLink);
    await visitor.arrivesAt(texts.passkeyLink.title);
    await page.getByText(human.loginName).waitFor();
    await page.locator('#passkey-button').waitFor();
    await expect.poll(() => page.locator('#passkey-absent').isVisible()).toBe(false);
    expect(await faultsInLanguage(page, 'passkey-link', locale)).toEqual([]);
    await visitor.tabTo('passkey-button');
    await page.keyboard.press('Enter');
    await visitor.sees(texts.passkeys.notMade);
    expect(await device.passkeys()).toEqual([]);
    // a reload asks for the same page, and nothing is used up
    await page.reload();
    await page.locator('#passkey-button').waitFor();
    await device.verifies(true);
    await visitor.tabTo('passkey-button');
    await page.keyboard.press('Enter');
    await visitor.arrivesAt(texts.passkeyLink.done);
    expect(await device.passkeys()).toHaveLength(1);
    expect(await faultsInLanguage(page, 'passkey-made', locale)).toEqual([]);

    await VirtualAuthenticator.hideAutofill(page);
    const departure = stage().depart();
    await page.goto(departure.url);
    await page.locator('#passkey-button').click();
    await visitor.isBack();
    const code = new URL(page.url()).searchParams.get('code');
    expect(decodeJwt((await stage().redeem(code, departure)).id_token)).toMatchObject({
      sub: human.userId,
      amr: ['user', 'mfa'],
    });
    expect(visitor.complaints).toEqual([]);

    const late = await stage().visit({ locale });
    await late.page.goto(human.passkeyLink);
    await late.arrivesAt(texts.linkOver.title);
    await late.sees(texts.passkeyLink.over);
    expect(await faultsInLanguage(late.page, 'passkey-link-over', locale)).toEqual([]);
  });
});

describe('without scripts', () => {
  it('the page says what it takes, and leads to what there is instead', async () => {
    const { human, visitor } = await somebodyWithLink({ scripts: false });
    const { page, texts } = visitor;
    await page.goto(human.passkeyLink);
    await visitor.sees(texts.passkeyLink.absent);
    await expect.poll(() => page.locator('#passkey-button').isVisible()).toBe(false);
    await page.getByRole('link', { name: texts.waysOn.signIn }).click();
    await page.getByRole('link', { name: texts.signIn.forgottenPassword }).click();
    await page.getByLabel(texts.form.loginName).fill(human.loginName);
    await page.getByRole('button', { name: texts.forgottenPassword.submit }).click();
    const mail = await stage().mailTo(human.email);
    await page.goto(visitor.linkIn(mail));
    await page.locator('[autocomplete="new-password"]').first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
