import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { TestAuthenticator } from '../support/factors.js';
import { faultsIn, giveRole, goesTo, keptIn, opens, PASSWORD } from './support/console.js';
import { useStage } from './support/stage.js';
import { TYPED_FORMS } from './support/typed-forms.js';

// A call that asks for a fresh sign-in (RFC 9470), on pages that hold what would be lost by leaving them: the secret of a new
// application, a file that was chosen. Somebody signs in again in another tab, comes back, and goes on.

const stage = useStage();
const FACTORS = { secondFactor: 'required', requiredFor: 'all' };
/** Longer ago than the policy takes, and within the life of a token. */
const LATER_SECONDS = 700;
let shiftMs = 0;

afterEach(async () => {
  await stage().replacePolicy('factors', {});
});

/** An owner with an authenticator app, who has had the console open for a while when calls begin to ask for more. */
async function ownerOfAWhile() {
  await stage().replacePolicy('factors', FACTORS);
  const human = await stage().importHuman({ password: PASSWORD }, stage().credentials.adminServiceUser);
  await giveRole(stage(), human.userId, 'ORG_OWNER');
  const visitor = await stage().visit();
  const { page, texts } = visitor;
  await page.goto(`${stage().issuer}/console/`);
  await visitor.signIn(human.loginName, PASSWORD);
  // a passkey is offered first
  await page.getByText(texts.secondFactor.setUp.instead.totp).click();
  await page.getByText(texts.secondFactor.setUp.orType).click();
  const app = new TestAuthenticator((await page.locator('.key').innerText()).replaceAll(/\s/g, ''));
  await page.locator('#code').fill(app.codeAt(Date.now() + shiftMs));
  await page.locator('#set-up-factor-submit').click();
  await page.locator('#content h1').waitFor();
  const orgId = /\/console\/orgs\/([^/?]+)/.exec(page.url())?.[1] ?? '';
  await stage().replacePolicy('factors', { ...FACTORS, stepUp: 'mfa', stepUpMaxAge: '600s' });
  const [{ authorization = '' }] = await Promise.all([
    page
      .waitForRequest((asked) => asked.url().includes('/management/v1/'))
      .then((asked) => asked.allHeaders()),
    goesTo(page, `orgs/${orgId}/users`),
  ]);
  await isTooLongAgo(authorization);
  return { page, visitor, app, orgId };
}

/** Time passes, until a call with this token is asked for a fresh sign-in. */
async function isTooLongAgo(authorization: string): Promise<void> {
  await stage().advance(LATER_SECONDS);
  shiftMs += LATER_SECONDS * 1000;
  // the API hears of the jump within some seconds
  const nobody = `${stage().issuer}/management/v1/users/nobody`;
  await expect
    .poll(async () => (await fetch(nobody, { method: 'DELETE', headers: { authorization } })).status)
    .toBe(401);
}

/** With password and code, at the end of which the console is open. */
async function signsIn(page: Page, app: TestAuthenticator): Promise<void> {
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('#code').fill(app.codeAt(Date.now() + shiftMs));
  await page.keyboard.press('Enter');
  await page.locator('#content h1').waitFor();
}

/** By what the page offers: a tab of its own, with password and code, which ends in the console. */
async function signsInElsewhere(
  page: Page,
  app: TestAuthenticator,
  within: Page | Locator = page,
): Promise<void> {
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    within.getByRole('link', { name: 'Confirm in a new tab' }).first().click(),
  ]);
  await signsIn(tab, app);
  // what it asked for is not in the address that somebody may keep
  await expect.poll(() => new URL(tab.url()).search).toBe('');
  await tab.close();
}

async function staysWith(page: Page, what: Locator): Promise<void> {
  await page.getByText('This page keeps what it shows.').first().waitFor();
  await what.waitFor();
}

describe('a call that needs a fresh sign-in', () => {
  it('leaves the secret of a new application on the page, and succeeds after it', async () => {
    const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/projects', { name: 'Pier' });
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/projects/${id}/applications/new?kind=web`);
    await page.getByText('Next.js (Auth.js)', { exact: true }).click();
    await page.getByText('Development mode will be on').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Tide tables');
    await page.getByRole('button', { name: 'Create application' }).click();
    await opens(page, 'Tide tables is ready');
    const secret = page.getByText('Client secret', { exact: true }).first();
    await page.getByRole('combobox', { name: 'Framework' }).click();
    await page.getByRole('option', { name: 'Django' }).click();
    const register = page.getByRole('button', { name: 'Register it' });
    // at first nothing can be said of the session, later that it is too weak: the notice says which
    await page.route(/\/authorize\?.*prompt=none/, async (route) => await route.fulfill({ body: '' }));
    await page.route('**/oidc_config', async (route) => await route.fulfill({ status: 401 }));
    await register.click();
    await page.getByText('Your session has ended').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/oidc_config$/)]);
    await page.unrouteAll();
    await register.click();
    await page.getByText('Confirm that it is you in a new tab').waitFor();
    await expect.poll(async () => await page.getByText('Your session has ended').count()).toBe(0);
    await staysWith(page, secret);
    await signsInElsewhere(page, app);
    await register.click();
    await page.getByText('The address is registered.').waitFor();
    await secret.waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/oidc_config$/)]);
  });

  it('keeps the file of an import, which is sent after it', async () => {
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    const record = {
      userName: 'crew-1',
      profile: { firstName: 'Crew', lastName: 'One' },
      email: { email: 'crew-1@post.example', isEmailVerified: true },
    };
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file', exact: true }).click(),
    ]);
    await chooser.setFiles({
      name: 'crew.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(`${JSON.stringify(record)}\n`),
    });
    const submit = page.getByRole('button', { name: 'Import 1 record' });
    await submit.click();
    await staysWith(page, page.getByText('crew.ndjson').first());
    await signsInElsewhere(page, app);
    await submit.click();
    await opens(page, 'crew.ndjson');
    const answer = await stage().asRoot<{ result: readonly { fileName?: string }[] }>(
      'GET',
      'management/v1/imports',
    );
    // refused before a byte of it was taken, and sent once
    expect(answer.result.filter(({ fileName }) => fileName === 'crew.ndjson')).toHaveLength(1);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/imports\?/)]);
  });

  it('leaves a token on the page while the next one is made, and what was chosen for that', async () => {
    const { userId } = await stage().asRoot<{ userId: string }>('POST', 'management/v1/users/machine', {
      userName: 'foghorn',
      name: 'Foghorn',
    });
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/service-users/${userId}`);
    await opens(page, 'Foghorn');
    const form = page.getByRole('form', { name: 'Make a token' });
    const lifetime = form.getByRole('combobox', { name: 'Expires' });
    const submit = form.getByRole('button', { name: 'Make the token' });
    const refused = [expect.stringMatching(/^401 for .*\/pats$/)];
    await page.getByRole('button', { name: 'Make a token' }).click();
    await lifetime.click();
    await page.getByRole('option', { name: 'In 90 days' }).click();
    await submit.click();
    await staysWith(page, form);
    expect(await faultsIn(page)).toEqual([]);
    await expect.poll(async () => await lifetime.inputValue()).toBe('In 90 days');
    await signsInElsewhere(page, app);
    const [{ authorization = '' }] = await Promise.all([
      page
        .waitForRequest((asked) => asked.method() === 'POST' && asked.url().endsWith('/pats'))
        .then((asked) => asked.allHeaders()),
      submit.click(),
    ]);
    const shown = page.getByRole('alert', { name: 'Personal access token' }).locator('code, pre').first();
    await expect.poll(async () => (await shown.textContent())?.length).toBeGreaterThan(20);
    const token = await shown.textContent();
    expect(visitor.complaints.splice(0)).toEqual(refused);

    await isTooLongAgo(authorization);
    await page.getByRole('button', { name: 'Make a token' }).click();
    await submit.click();
    await staysWith(page, form);
    await expect.poll(async () => await shown.textContent()).toBe(token);
    await signsInElsewhere(page, app);
    await submit.click();
    await expect.poll(async () => await shown.textContent()).not.toBe(token);
    expect(visitor.complaints.splice(0)).toEqual(refused);
  });

  it.each([
    ['a key', 'Add a key', 'Public key of yours', '-----BEGIN PUBLIC KEY-----'],
    ['a token of a directory', 'Make a SCIM token', 'Name', 'Entra'],
  ])('keeps what was typed for %s', async (_, add, field, typed) => {
    const { userId } = await stage().asRoot<{ userId: string }>('POST', 'management/v1/users/machine', {
      userName: `for-${field.replaceAll(' ', '-')}`,
      name: 'Foghorn',
    });
    const { page, visitor, orgId } = await ownerOfAWhile();
    const isOfOrganization = add === 'Make a SCIM token';
    await goesTo(page, `orgs/${orgId}/${isOfOrganization ? 'settings' : `service-users/${userId}`}`);
    await opens(page, isOfOrganization ? 'Settings' : 'Foghorn');
    await page.getByRole('button', { name: add }).click();
    const form = page.getByRole('form', { name: add });
    const text = form.getByRole('textbox', { name: new RegExp(`^${field}`) });
    await text.fill(typed);
    await form.locator('button[type=submit]').click();
    await staysWith(page, text);
    await expect.poll(async () => await text.inputValue()).toBe(typed);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for /)]);
  });

  it('finds an account elsewhere as it was typed after it, and adds it', async () => {
    const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/idps', {
      kind: 'oidc',
      name: 'Quay Directory',
      issuer: 'https://login.acme.example',
      clientId: 'identity-service',
      clientSecret: 'Marker-secret-of-acme',
    });
    await stage().asRoot('POST', `management/v1/idps/${id}/_activate`);
    const { userId } = await stage().importHuman();
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/users/${userId}/security`);
    await opens(page, 'Ada Lovelace');
    const add = 'Link an identity';
    await page.getByRole('button', { name: add }).click();
    const form = page.getByRole('form', { name: add });
    await form.getByRole('combobox', { name: /Provider/ }).click();
    await page.getByRole('option', { name: 'Quay Directory' }).click();
    await form.getByLabel(/ID at the provider/).fill('ada-at-acme');
    await form.getByRole('button', { name: add }).click();
    await signsIn(page, app);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/idps$/)]);
    await expect
      .poll(async () => await form.getByLabel(/ID at the provider/).inputValue())
      .toBe('ada-at-acme');
    await form.getByRole('button', { name: add }).click();
    await page.getByRole('table', { name: 'Linked identities' }).getByText('Quay Directory').waitFor();
    await expect.poll(async () => await keptIn(page)).not.toContain('console.draft');
    await stage().asRoot('DELETE', `management/v1/idps/${id}`);
  });

  it('leaves the secret of a new identity provider in its field, and nowhere else', async () => {
    const typed = 'Marker-Barnacle-9';
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/sign-in/providers/new`);
    await opens(page, 'Add an identity provider');
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Google', exact: true }).click();
    const field = page.locator('input[type=password]');
    await page.getByRole('textbox', { name: 'Name' }).fill('Google');
    await page.getByRole('textbox', { name: 'Client id' }).fill('abc');
    await field.fill(typed);
    const submit = page.locator('button[type=submit]');
    await submit.click();
    await staysWith(page, field);
    await expect.poll(async () => await field.inputValue()).toBe(typed);
    await expect.poll(async () => await keptIn(page)).not.toContain(typed);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/idps$/)]);
    await signsInElsewhere(page, app);
    await submit.click();
    await opens(page, 'Google');
    await expect.poll(async () => await keptIn(page)).not.toContain('console.draft');
  });

  it('leaves the password that is set for somebody in its field, and nowhere else', async () => {
    const typed = 'Limpet-Barnacle-9';
    const { userId } = await stage().importHuman();
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/users/${userId}/security`);
    await opens(page, 'Ada Lovelace');
    await page.getByRole('button', { name: 'Set a password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a password' });
    const field = dialog.locator('input[type=password]');
    await field.fill(typed);
    await dialog.locator('button[type=submit]').click();
    await staysWith(page, field);
    await expect.poll(async () => await field.inputValue()).toBe(typed);
    await expect.poll(async () => await keptIn(page)).not.toContain(typed);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/password$/)]);
    await signsInElsewhere(page, app, dialog);
    await dialog.locator('button[type=submit]').click();
    await page.getByText('The password is set.').waitFor();
  });
});

describe('a form beside what asks for a fresh sign-in', () => {
  it.each(TYPED_FORMS)('has %s as it was typed, after the sign-in', async (_, prepare) => {
    const typed = await prepare(stage());
    const { page, visitor, app, orgId } = await ownerOfAWhile();
    await goesTo(page, `orgs/${orgId}/${typed.path}`);
    await opens(page, typed.heading);
    await typed.type(page);
    await page.getByRole('row', { name: typed.row }).getByRole('button', { name: typed.remove }).click();
    const question = page.getByRole('dialog');
    if (typed.word !== undefined) await question.getByRole('textbox').fill(typed.word);
    await question.getByRole('button', { name: typed.remove, exact: true }).click();
    await signsIn(page, app);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for /)]);
    await opens(page, typed.heading);
    await expect.poll(async () => await typed.field(page).inputValue()).toBe(typed.value);
    await page.getByRole('button', { name: typed.add, exact: true }).click();
    await page.getByText(typed.added).waitFor();
    await expect.poll(async () => await typed.field(page).inputValue()).toBe('');
    await expect.poll(async () => await keptIn(page)).not.toContain('console.draft');
  });
});
