import { beforeAll, describe, expect, it } from 'vitest';
import { faultsInLanguage } from './support/appearance.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import { codeIn, type Visitor } from './support/visitor.js';

// The pages of one's own account in a real browser: every one of them by keyboard alone, without scripts, in two languages,
// and by what axe finds in them.

const stage = useStage();
const PASSWORD = 'Ballast-7-Anchors';
const SECTIONS = ['profile', 'security', 'sessions', 'applications', 'language', 'data', 'delete'] as const;

async function openAccount(visitor: Visitor, human: ImportedHuman): Promise<void> {
  await visitor.page.goto(`${stage().issuer}/account`);
  await visitor.signIn(human.loginName, PASSWORD);
  await visitor.arrivesAt(visitor.texts.account.title);
}

/** The way that sections lead, by the keyboard. */
async function openSection(visitor: Visitor, section: string): Promise<void> {
  await visitor.page.goto(`${stage().issuer}/account`);
  await visitor.tabTo(`${section}-action`, 20);
  await visitor.page.keyboard.press('Enter');
  await visitor.page.waitForURL(`**/account/${section}`);
}

beforeAll(() => stage().replacePolicy('login', { allowAccountDeletion: true }));

describe.each(['en', 'de'])('in %s', (locale) => {
  it('every page is had by keyboard and has no fault', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const [elsewhere, visitor] = [await stage().visit(), await stage().visit({ locale })];
    await openAccount(elsewhere, human);
    await openAccount(visitor, human);
    expect(await faultsInLanguage(visitor.page, 'account', locale)).toEqual([]);
    for (const section of SECTIONS) {
      await openSection(visitor, section);
      expect(await faultsInLanguage(visitor.page, `account-${section}`, locale)).toEqual([]);
    }
  });
});

describe('without scripts', () => {
  it('another browser is signed out', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const [elsewhere, visitor] = [await stage().visit(), await stage().visit({ scripts: false })];
    await openAccount(elsewhere, human);
    await openAccount(visitor, human);
    await openSection(visitor, 'sessions');
    await visitor.tabTo('session-2-action');
    await visitor.page.keyboard.press('Enter');
    await visitor.sees(visitor.texts.account.done.session);
    await elsewhere.page.reload();
    await elsewhere.arrivesAt(elsewhere.texts.signIn.title);
  });

  it('the e-mail address is changed by the code of the mail, by keyboard', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ scripts: false });
    const { page, texts } = visitor;
    await openAccount(visitor, human);
    await visitor.tabTo('email-action', 20);
    await page.keyboard.press('Enter');
    await visitor.arrivesAt(texts.account.email.changeTitle);
    await expect.poll(() => visitor.autocompletes()).toEqual({ email: 'email' });
    const next = `next-${human.email}`;
    await page.locator('#email').fill(next);
    await page.keyboard.press('Enter');
    await visitor.arrivesAt(texts.verifyEmail.title);
    await expect.poll(() => visitor.autocompletes()).toEqual({ code: 'one-time-code' });
    await page.locator('#code').fill(codeIn(await stage().mailTo(next)));
    await page.keyboard.press('Enter');
    await visitor.sees(texts.account.done.email);
    await visitor.sees(next);
    expect((await stage().mailTo(human.email)).text).not.toContain(next);
  });

  it('the language counts at once, and a copy of the data is a file', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ scripts: false });
    const { page } = visitor;
    await openAccount(visitor, human);
    await openSection(visitor, 'language');
    await page.getByRole('combobox').selectOption('de');
    await page.locator('#language-submit').click();
    await visitor.arrivesAt('Ihr Konto');
    await openSection(visitor, 'data');
    const arriving = page.waitForEvent('download');
    await page.locator('#data-submit').click();
    expect((await arriving).suggestedFilename()).toBe('account-data.json');
  });

  it('the account is deleted once its name was typed', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const visitor = await stage().visit({ scripts: false });
    const { page, texts } = visitor;
    await openAccount(visitor, human);
    await openSection(visitor, 'delete');
    await page.locator('#delete-submit').click();
    await visitor.sees(texts.account.delete.problems['name-differs'].summary);
    const name = await page.locator('#confirmation-hint strong').innerText();
    await page.locator('#confirmation').fill(name);
    await page.locator('#delete-submit').click();
    await visitor.arrivesAt(texts.account.delete.doneTitle);
    await page.goto(`${stage().issuer}/account`);
    await visitor.arrivesAt(texts.signIn.title);
  });
});
