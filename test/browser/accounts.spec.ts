import { beforeAll, describe, expect, it } from 'vitest';
import { png } from '../support/pictures.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage, type ImportedHuman } from './support/stage.js';
import type { Visitor, VisitorOptions } from './support/visitor.js';

// Several accounts in one browser, on pages that look as the organization wants: the list is read, used by keyboard
// and without scripts, and no account has to be typed twice.

const stage = useStage();

const PASSWORD = 'Ballast-7-Anchors';
/** Dark text goes on it, and it is too pale for text of its own: the harder half of accents. */
const ACCENT = '#ffd400';
let ada: ImportedHuman;
let eve: ImportedHuman;

beforeAll(async () => {
  await stage().brand({
    displayName: 'Leuchtturm & Söhne',
    accentColor: ACCENT,
    logo: png().toString('base64'),
  });
  ada = await stage().importHuman({ password: PASSWORD });
  const profile = { firstName: 'Wilhelmine', lastName: 'von Donaudampfschifffahrt' };
  eve = await stage().importHuman({ password: PASSWORD, profile });
});

/** A browser in which Ada and then Eve have signed in. */
async function browserOfBoth(options: VisitorOptions = {}): Promise<Visitor> {
  const visitor = await stage().visit(options);
  for (const { loginName } of [ada, eve]) {
    await visitor.page.goto(stage().depart({ prompt: 'login' }).url);
    await visitor.signIn(loginName, PASSWORD);
    await visitor.isBack();
  }
  return visitor;
}

/** The list that the application's next request leads to. */
async function openList(visitor: Visitor, changes: Readonly<Record<string, string>> = {}): Promise<void> {
  await visitor.page.goto(stage().depart(changes).url);
  await visitor.arrivesAt(visitor.texts.chooseAccount.title);
}

/** Who the application's answer is about. */
async function subjectOf(visitor: Visitor, changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const departure = stage().depart({ prompt: 'none', ...changes });
  await visitor.page.goto(departure.url);
  const code = new URL(visitor.page.url()).searchParams.get('code');
  const { id_token: token } = await stage().redeem(code, departure);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string;
  };
  return claims.sub;
}

describe.each(['en', 'de'])('the list of accounts in %s', (locale) => {
  it('and the pages around it have no fault and the organization’s look', async () => {
    const visitor = await browserOfBoth({ locale });
    const { page, texts } = visitor;
    await openList(visitor);
    expect(await faultsInLanguage(page, 'accounts', locale)).toEqual([]);
    await expect.poll(() => visitor.look()).toEqual({ accent: ACCENT, logo: 'Leuchtturm & Söhne' });
    await expect
      .poll(() => page.locator('.account').allInnerTexts())
      .toEqual([expect.stringContaining(eve.loginName), expect.stringContaining(ada.loginName)]);

    // a session that is too old for the request is still a name that nobody has to type
    await stage().advance(100);
    await openList(visitor, { max_age: '50' });
    await expect
      .poll(() => page.locator('.state').allInnerTexts())
      .toEqual(Array(2).fill(texts.chooseAccount.signedOut));
    expect(await faultsInLanguage(page, 'accounts-signed-out', locale)).toEqual([]);
    await page.locator('.account', { hasText: ada.loginName }).click();
    await visitor.arrivesAt(texts.signIn.title);
    await expect.poll(() => page.locator('#loginName').inputValue()).toBe(ada.loginName);
    await expect.poll(() => visitor.focused()).toBe('password');
    await expect.poll(() => visitor.look()).toEqual({ accent: ACCENT, logo: 'Leuchtturm & Söhne' });
    await expect
      .poll(() => visitor.autocompletes())
      .toEqual({ loginName: 'username webauthn', password: 'current-password' });
    expect(await faultsInLanguage(page, 'accounts-sign-in', locale)).toEqual([]);
    await visitor.signIn(ada.loginName, PASSWORD);
    await visitor.isBack();
  });
});

it('an account is chosen, and another one taken off the list, without touching the mouse', async () => {
  const visitor = await browserOfBoth();
  const { page } = visitor;
  await openList(visitor);
  await visitor.tabTo('account-2');
  await expect.poll(() => visitor.focusRing()).toBe('solid');
  await page.keyboard.press('Enter');
  await visitor.isBack();

  await openList(visitor);
  await visitor.tabTo('account-1');
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate<string>('document.activeElement.getAttribute("aria-label")'))
    .toBe(`Remove ${eve.loginName} from this list`);
  await page.keyboard.press('Enter');
  await page.locator('.account', { hasText: eve.loginName }).waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.account').count()).toBe(1);
  await visitor.tabTo('other-account');
  await page.keyboard.press('Enter');
  await visitor.arrivesAt('Sign in');
  await expect.poll(() => visitor.focused()).toBe('loginName');
  expect(await subjectOf(visitor)).toBe(ada.userId);
});

it('the list works without scripts', async () => {
  const visitor = await browserOfBoth({ scripts: false });
  const { page } = visitor;
  await openList(visitor);
  await page.locator('.account', { hasText: ada.loginName }).click();
  await visitor.isBack();
  await openList(visitor);
  await page.getByRole('button', { name: `Remove ${eve.loginName}` }).click();
  await page.locator('.account', { hasText: eve.loginName }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Sign in with another account' }).click();
  await visitor.signIn(eve.loginName, PASSWORD);
  await visitor.isBack();
  await openList(visitor);
});

it.each(['#account-1', '.remove >> nth=0', '#other-account'])('two presses on %s are one', async (button) => {
  const visitor = await browserOfBoth();
  const { page } = visitor;
  await openList(visitor);
  let sent = 0;
  let letGo = (): void => undefined;
  const bothPressed = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/login/accounts', async (route) => {
    sent += 1;
    await bothPressed;
    await route.continue();
  });
  const box = await page.locator(button).boundingBox();
  const [x, y] = [(box?.x ?? 0) + 10, (box?.y ?? 0) + 10];
  await page.mouse.click(x, y);
  await expect.poll(() => sent).toBe(1);
  await page.mouse.click(x, y);
  letGo();
  if (button === '#account-1') await visitor.isBack();
  else if (button === '#other-account') await visitor.arrivesAt('Sign in');
  else await page.locator('.account', { hasText: eve.loginName }).waitFor({ state: 'detached' });
  expect(sent).toBe(1);
});

it('back and reload lead to a page of ours, and from an answered list back to the application', async () => {
  const visitor = await browserOfBoth();
  const { page } = visitor;
  await openList(visitor);
  await page.reload();
  await expect.poll(() => visitor.heading()).toBe('Choose an account');
  await page.getByRole('button', { name: 'Sign in with another account' }).click();
  await visitor.arrivesAt('Sign in');
  await page.reload();
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await page.goBack();
  await expect.poll(() => visitor.heading()).toBe('Choose an account');
  await page.locator('#account-1').click();
  await visitor.isBack();
  await page.goBack();
  await expect.poll(() => visitor.heading()).toBe('This sign-in has expired');
  await page.getByRole('link', { name: 'Start again' }).click();
  await visitor.arrivesAt('Choose an account');
  await page.locator('#account-2').click();
  await visitor.isBack();
});

it('the footer’s list of languages changes the list’s words and nothing else', async () => {
  const visitor = await browserOfBoth();
  const { page } = visitor;
  await openList(visitor);
  await page.locator('.foot summary').click();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await visitor.arrivesAt('Konto auswählen');
  await page.locator('#account-1').click();
  await visitor.isBack();
});
