import { beforeAll, describe, expect, it } from 'vitest';
import { png } from '../support/pictures.js';
import { faultsInLanguage } from './support/appearance.js';
import { useStage } from './support/stage.js';
import type { Visitor, VisitorOptions } from './support/visitor.js';

// How a visit ends: by a sign-out that is asked about, or because a page was open for too long.

const stage = useStage();

const LOOK = { accent: '#0b6e4f', logo: 'Lighthouse Ltd' };
const FLOW_LIFE_SECONDS = 3600;

beforeAll(async () => {
  await stage().brand({ accentColor: LOOK.accent, logo: png().toString('base64') });
});

async function signsIn(visitor: Visitor): Promise<void> {
  const { admin } = stage().credentials;
  await visitor.signIn(admin.loginName, admin.password);
  await visitor.isBack();
}

async function signedIn(options: VisitorOptions = {}): Promise<Visitor> {
  const visitor = await stage().visit(options);
  await visitor.page.goto(stage().depart().url);
  await signsIn(visitor);
  return visitor;
}

function endSession(parameters: Readonly<Record<string, string>> = {}): string {
  return `${stage().issuer}/oidc/v1/end_session?${new URLSearchParams(parameters).toString()}`;
}

describe.each(['en', 'de'])('in %s', (locale) => {
  it('signing out is asked about and said, on pages without a fault', async () => {
    const visitor = await signedIn({ locale });
    const { page, texts } = visitor;
    await page.goto(endSession({ client_id: stage().credentials.webApplication.clientId }));
    await visitor.arrivesAt(texts.signOut.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'sign-out', locale)).toEqual([]);
    await page.locator('#logout-confirm').click();
    await visitor.arrivesAt(texts.signedOut.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'signed-out', locale)).toEqual([]);
    await page.reload();
    await visitor.arrivesAt(texts.signedOut.title);
    await page.getByRole('link', { name: texts.waysOn.signIn }).click();
    await visitor.arrivesAt(texts.signIn.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
  });

  it('a sign-in that was open for too long says so and begins again', async () => {
    const visitor = await stage().visit({ locale });
    const { page, texts } = visitor;
    const departure = stage().depart();
    await page.goto(departure.url);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    // the page asks for a challenge of passkeys by itself, and hours later that is refused
    await page.waitForLoadState('networkidle');
    await stage().advance(FLOW_LIFE_SECONDS + 1);
    const { admin } = stage().credentials;
    await visitor.signIn(admin.loginName, admin.password);
    await visitor.arrivesAt(texts.expired.title);
    await expect.poll(() => visitor.look()).toEqual(LOOK);
    expect(await faultsInLanguage(page, 'expired', locale)).toEqual([]);
    await page.getByRole('link', { name: texts.waysOn.beginAgain }).click();
    await visitor.arrivesAt(texts.signIn.title);
    await signsIn(visitor);
    await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe(departure.state);
  });
});

it('signing out needs no mouse, and staying is as near', async () => {
  const visitor = await signedIn();
  const { page } = visitor;
  await page.goto(endSession());
  await visitor.tabTo('logout-confirm', 1);
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toBe('Stay signed in');
  await page.keyboard.press('Enter');
  await visitor.sees('You are signed in as');
  await page.goBack();
  await visitor.tabTo('logout-confirm');
  await expect.poll(() => visitor.focusRing()).toBe('solid');
  await page.keyboard.press('Enter');
  await visitor.arrivesAt('You are signed out');
});

it.each([
  ['with scripts', true],
  ['without scripts', false],
])('two presses, reload and the way back end in a page that says what is (%s)', async (_, scripts) => {
  const visitor = await signedIn({ scripts });
  const { page } = visitor;
  await page.goto(endSession());
  await page.reload();
  await visitor.arrivesAt('Sign out?');
  await page.locator('#logout-confirm').dblclick();
  await visitor.arrivesAt('You are signed out');
  // the question is over: asked again, it has its answer
  await page.goto(endSession());
  await visitor.arrivesAt('You are signed out');
  // without scripts a browser asks by itself whether to send a form again
  if (!scripts) return;
  await page.goBack();
  await page.reload();
  await visitor.arrivesAt('You are signed out');
});

it('a question that was answered in another window is no error', async () => {
  const visitor = await signedIn();
  const other = await visitor.openWindow();
  await visitor.page.goto(endSession());
  await other.goto(endSession());
  await other.locator('#logout-confirm').click();
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await visitor.page.locator('#logout-confirm').click();
  await visitor.arrivesAt('You are signed out');
});

it('begins again without scripts, and from a page that was reloaded', async () => {
  const visitor = await stage().visit({ scripts: false });
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await page.reload();
  await visitor.arrivesAt('Sign in');
  await stage().advance(FLOW_LIFE_SECONDS + 1);
  await page.reload();
  await visitor.arrivesAt('This sign-in has expired');
  await page.reload();
  await page.getByRole('link', { name: 'Start again' }).click();
  await signsIn(visitor);
});
