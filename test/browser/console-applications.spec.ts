import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  countClicks,
  faultsIn,
  goesTo,
  keptIn,
  memberAtConsole,
  opens,
  opensPart,
  ownerAtConsole,
  PASSWORD,
  place,
  settles,
} from './support/console.js';
import { useStage } from './support/stage.js';

// Projects, applications and service users in the console: the guide and what it ends with, the reasons why a redirect URI is
// refused, secrets that are shown once, and what somebody who may only look is not shown. `useStage` fails a test whose browser
// reports a violation of the policy.

const stage = useStage();

const SCRIPT = '<script>document.title = "run"</script>';

async function manage<Answer>(path: string, body?: object): Promise<Answer> {
  return await stage().asRoot(body === undefined ? 'GET' : 'POST', `management/v1/${path}`, body);
}

interface Made {
  readonly id: string;
}

async function project(name: string): Promise<string> {
  return (await manage<Made>('projects', { name })).id;
}

interface Config {
  readonly app: {
    readonly name: string;
    readonly oidcConfig: {
      readonly clientId: string;
      readonly authMethodType: string;
      readonly grantTypes: readonly string[];
      readonly redirectUris: readonly string[];
      readonly devMode?: boolean;
      readonly idTokenUserinfoAssertion?: boolean;
    };
  };
}

async function secretOf(page: Page, title: string): Promise<string> {
  const shown = page.getByRole('alert', { name: title }).locator('code, pre').first();
  return (await shown.textContent()) ?? '';
}

describe('a preview of claims', () => {
  it('shows what tokens would say about somebody and why, and axe finds no fault', async () => {
    await stage().importHuman({ profile: { firstName: 'Wilhelmina', lastName: 'Beacon' } });
    const projectId = await project('Signal station');
    const { appId } = await manage<{ appId: string }>(`projects/${projectId}/apps/oidc`, {
      name: 'Flags',
      redirectUris: ['https://flags.example/callback'],
    });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/${appId}/tokens`);
    await opens(page, 'Flags');
    const preview = page.getByRole('region', { name: 'Token preview' });
    await preview.getByRole('combobox', { name: 'User' }).fill('Wilhelmina');
    await page.getByRole('option', { name: /Wilhelmina/ }).click();
    await preview.getByRole('button', { name: 'Show the claims' }).click();
    await preview.getByRole('tab', { name: 'User info' }).click();
    const row = preview.getByRole('row', { name: /^given_name/ });
    await row.getByText('"Wilhelmina"').waitFor();
    await row.getByText('profile', { exact: true }).waitFor();
    await expect.poll(async () => await page.content()).not.toContain('eyJ');
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a framework whose page does not come', () => {
  it('is not the one that is ticked, and can be chosen again', async () => {
    const projectId = await project('Dry dock');
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/new?kind=web`);
    const chip = (name: string) => page.getByRole('radio', { name });
    const ticked = async () => await page.locator('.mantine-Chip-input:checked').count();
    const failed = page.getByText('The service does not answer.');
    await page.route('**/express-*.js', async (route) => await route.abort());
    await page.getByText('Express', { exact: true }).click();
    await failed.waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await expect.poll(ticked).toBe(0);
    await page.getByText('Django', { exact: true }).click();
    await failed.waitFor({ state: 'detached' });
    const uri = page.getByRole('textbox', { name: 'Redirect URIs, 1', exact: true });
    await expect.poll(async () => await uri.inputValue()).toContain('/oidc/callback');
    await page.getByText('Express', { exact: true }).click();
    await failed.waitFor();
    // the one before is still what it is made with
    await expect.poll(async () => await chip('Django').isChecked()).toBe(true);
    await expect.poll(async () => await uri.inputValue()).toContain('/oidc/callback');
    await page.unrouteAll();
    await page.getByText('Express', { exact: true }).click();
    await expect.poll(async () => await chip('Express').isChecked()).toBe(true);
    await expect.poll(async () => await uri.inputValue()).not.toContain('/oidc/callback');
    await expect.poll(async () => await failed.count()).toBe(0);
    const complaints = visitor.complaints.splice(0);
    for (const complaint of complaints) expect(complaint).toMatch(/ERR_FAILED/);
  });
});

describe('an application', () => {
  it('is made in five clicks, with its secret and code that has its ids', async () => {
    const projectId = await project('Harbour');
    const { page, visitor } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Projects'));
    await click(page.getByRole('link', { name: 'Harbour', exact: true }));
    await click(page.getByRole('link', { name: 'Add an application' }));
    await click(page.getByRole('radio', { name: 'Web application' }));
    await page.getByRole('textbox', { name: 'Name' }).fill(SCRIPT);
    await page
      .getByRole('textbox', { name: 'Redirect URIs, 1', exact: true })
      .fill('https://quay.example.com/callback');
    expect(await faultsIn(page)).toEqual([]);
    await click(page.getByRole('button', { name: 'Create application' }));
    await opens(page, `${SCRIPT} is ready`);
    expect(count()).toBe(5);

    const secret = await secretOf(page, 'Client secret');
    expect(secret.length).toBeGreaterThan(30);
    await page.getByRole('combobox', { name: 'Framework' }).click();
    await page.getByRole('option', { name: 'Express' }).click();
    const code = page.locator('.code-block');
    const shown = async (): Promise<string> => (await code.allTextContents()).join('\n');
    await expect.poll(shown).toContain(`CLIENT_SECRET=${secret}`);
    await expect.poll(shown).toContain(`ISSUER=${stage().issuer}`);
    // the example's own address gave way to the application's
    await expect.poll(shown).toContain("baseURL: 'https://quay.example.com'");
    expect(await faultsIn(page)).toEqual([]);

    await page.getByRole('link', { name: 'Open the application' }).click();
    await opens(page, SCRIPT);
    expect(await faultsIn(page)).toEqual([]);
    await opensPart(page, 'Code');
    await expect
      .poll(async () => (await page.locator('#content').textContent()) ?? '')
      .toContain('CLIENT_SECRET=…');
    await expect.poll(async () => await page.locator('#content').textContent()).not.toContain(secret);
    expect(await faultsIn(page)).toEqual([]);
    await expect.poll(async () => await page.title()).toBe(`${SCRIPT} · Console`);
    expect(visitor.complaints).toEqual([]);

    const appId = /applications\/(\w+)/.exec(page.url())?.[1] ?? '';
    const { app } = await manage<Config>(`projects/${projectId}/apps/${appId}`);
    await expect
      .poll(async () => await page.locator('#content').textContent())
      .toContain(`CLIENT_ID=${app.oidcConfig.clientId}`);
    expect(app.oidcConfig).toMatchObject({
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
      redirectUris: ['https://quay.example.com/callback'],
    });
    expect(app.oidcConfig.devMode ?? false).toBe(false);
  });

  it('gets the tested settings of a framework, and one more address where an example needs it', async () => {
    const projectId = await project('Pier');
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/new?kind=web`);
    await page.getByText('Next.js (Auth.js)', { exact: true }).click();
    await page.getByText('Development mode will be on').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Tide tables');
    await page.getByRole('button', { name: 'Create application' }).click();
    await opens(page, 'Tide tables is ready');
    await page.getByRole('combobox', { name: 'Framework' }).click();
    await page.getByRole('option', { name: 'Django' }).click();
    let goOn: (() => void) | undefined;
    await page.route('**/oidc_config', async (route) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await route.continue();
    });
    const register = page.getByRole('button', { name: 'Register it' });
    await register.click();
    await expect.poll(() => goOn).toBeDefined();
    // a second press would begin a second change
    await expect.poll(async () => await register.isDisabled()).toBe(true);
    goOn?.();
    await page.getByText('The address is registered.').waitFor();

    const { result } = await manage<{ readonly result: readonly Config['app'][] }>(
      `projects/${projectId}/apps/_search`,
      {},
    );
    expect(result[0]?.oidcConfig).toMatchObject({
      devMode: true,
      idTokenUserinfoAssertion: true,
      redirectUris: [
        'http://localhost:3000/api/auth/callback/identity',
        'http://localhost:8000/oidc/callback/',
      ],
    });
  });

  it('is as it was typed and chosen after the page is loaded again, and is made of that', async () => {
    const projectId = await project('Drafts');
    const { page, orgId } = await ownerAtConsole(stage());
    const address = `orgs/${orgId}/projects/${projectId}/applications/new`;
    await goesTo(page, `${address}?kind=web`);
    await opens(page, 'Add an application');
    await page.getByText('Applications that support only SAML').waitFor();
    await page.getByText('Django', { exact: true }).click();
    const uri = page.getByRole('textbox', { name: 'Redirect URIs, 1', exact: true });
    await expect.poll(async () => await uri.inputValue()).toContain('localhost:8000');
    await uri.fill('https://drafts.example/callback');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Draughts');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await opens(page, 'Add an application');
    await expect.poll(async () => await name.inputValue()).toBe('Draughts');
    await expect.poll(async () => await uri.inputValue()).toBe('https://drafts.example/callback');
    await expect.poll(async () => await page.getByRole('radio', { name: 'Django' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Create application' }).click();
    await opens(page, 'Draughts is ready');
    // what was made is no draft any more
    await expect.poll(async () => await keptIn(page)).not.toContain('console.draft.application-new-');
    await goesTo(page, `${address}?kind=web`);
    await opens(page, 'Add an application');
    await name.waitFor();
    await expect.poll(async () => await name.inputValue()).toBe('');
  });

  it('is of no framework after a reload where what that needs had not been loaded', async () => {
    const projectId = await project('Half drafts');
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/new?kind=web`);
    await opens(page, 'Add an application');
    let isAsked = false;
    await page.route('**/django-*.js', () => {
      isAsked = true;
    });
    await page.getByText('Django', { exact: true }).click();
    await expect.poll(() => isAsked).toBe(true);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Half');
    await expect.poll(async () => await keptIn(page)).toContain('Half');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await opens(page, 'Add an application');
    await expect.poll(async () => await name.inputValue()).toBe('Half');
    const django = page.getByRole('radio', { name: 'Django' });
    await expect.poll(async () => await django.isChecked()).toBe(false);
    await page.unroute('**/django-*.js');
    await page.getByText('Django', { exact: true }).click();
    const uri = page.getByRole('textbox', { name: 'Redirect URIs, 1', exact: true });
    await expect.poll(async () => await uri.inputValue()).toContain('localhost:8000');
    expect(visitor.complaints).toEqual([]);
  });

  it('is a command-line tool, which needs no address to come back to', async () => {
    const projectId = await project('Jetty');
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/new?kind=native`);
    await page.getByText('Command line (device code)', { exact: true }).click();
    await page.getByText('no address is needed to come back to').waitFor();
    await page.getByRole('group', { name: 'Redirect URIs', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Sounding lead');
    await page.getByRole('button', { name: 'Create application' }).click();
    await opens(page, 'Sounding lead is ready');
    await page.getByText('initiateDeviceAuthorization').waitFor();

    const { result } = await manage<{ readonly result: readonly Config['app'][] }>(
      `projects/${projectId}/apps/_search`,
      {},
    );
    expect(result[0]?.oidcConfig).toMatchObject({
      appType: 'OIDC_APP_TYPE_NATIVE',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
      grantTypes: ['OIDC_GRANT_TYPE_DEVICE_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
    });
  });

  it('says how long its tokens are valid, and leads to where that is set', async () => {
    const projectId = await project('Slip');
    const { appId } = await manage<{ readonly appId: string }>(`projects/${projectId}/apps/oidc`, {
      name: 'Tide table',
      redirectUris: ['https://tide.example.com/callback'],
    });
    await stage().replacePolicy('tokens', { accessTokenLifetime: '2700s', idTokenLifetime: '7200s' });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/${appId}/tokens`);
    await opens(page, 'Tide table');
    await page.getByText('Access tokens are valid for 45 minutes, ID tokens for 2 hours,').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('link', { name: 'Set for the organization' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/sign-in\/tokens$/);
    await stage().replacePolicy('tokens', {});
  });

  it('says why a redirect URI is refused, and sends none that cannot be registered', async () => {
    const projectId = await project('Dock');
    const { appId } = await manage<{ readonly appId: string }>(`projects/${projectId}/apps/oidc`, {
      name: 'Crane',
      redirectUris: ['https://crane.example.com/callback'],
    });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/${appId}`);
    await opens(page, 'Crane');
    const asked = page.getByRole('textbox', { name: 'Redirect URI of the request' });
    for (const [uri, reason] of [
      ['https://crane.example.com/callback', 'It is registered.'],
      ['https://crane.example.com/callback/', 'only the slash at the end differs'],
      ['https://crane.example.com:8443/callback', 'with another port'],
      ['http://crane.example.com/callback', 'with another scheme'],
      ['https://elsewhere.example.com/login', 'It is not registered. Add it above'],
      ['data:text/html,hello', 'never allowed'],
    ] as const) {
      await asked.fill(uri);
      await page.getByText(reason).first().waitFor();
    }

    const first = page.getByRole('textbox', { name: 'Redirect URIs, 1', exact: true });
    await first.fill('https://crane.example.com/#here');
    await page.getByText('Leave out # and what follows it.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => await first.evaluate((field) => field === field.ownerDocument.activeElement))
      .toBe(true);
    // from another part, where it is not shown
    await opensPart(page, 'Tokens');
    await page.getByLabel('User Info inside ID Token').check();
    await page.getByRole('link', { name: 'Overview not saved' }).waitFor();
    await page.getByRole('link', { name: 'Tokens not saved' }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/applications\/\w+$/);
    await expect
      .poll(async () => await first.evaluate((field) => field === field.ownerDocument.activeElement))
      .toBe(true);
    await first.fill('https://crane.example.com/callback');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { app } = await manage<Config>(`projects/${projectId}/apps/${appId}`);
    expect(app.oidcConfig).toMatchObject({
      idTokenUserinfoAssertion: true,
      redirectUris: ['https://crane.example.com/callback'],
    });
  });
});

it('leads from what is worth a look to the part where it is changed, keeps what was typed, and asks before it is lost', async () => {
  const projectId = await project('Lock');
  const { appId } = await manage<{ readonly appId: string }>(`projects/${projectId}/apps/oidc`, {
    name: 'Sluice',
    appType: 'OIDC_APP_TYPE_USER_AGENT',
    redirectUris: ['https://sluice.example.com/callback'],
  });
  const { page, visitor, orgId } = await ownerAtConsole(stage());
  const at = `${stage().issuer}/console/orgs/${orgId}/projects/${projectId}/applications/${appId}`;
  await page.goto(at);
  await opens(page, 'Sluice');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Weir');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'An application in the browser cannot keep a secret.' })
    .getByRole('link', { name: 'Change it under “Signing in”' })
    .click();
  const method = page.getByRole('combobox', { name: 'Client authentication' });
  await method.click();
  await page.getByRole('option', { name: 'No secret (PKCE)' }).click();
  await expect.poll(() => page.url()).toBe(`${at}/sign-in`);
  await page.goBack();
  await expect
    .poll(async () => await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue())
    .toBe('Weir');
  await place(page, 'Projects').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  // each part is at most about three screens of a phone, and nothing is wider than one
  await page.setViewportSize({ width: 390, height: 844 });
  for (const part of ['Overview', 'Signing in', 'Tokens', 'Logout and access', 'Code']) {
    await opensPart(page, part);
    await settles(page);
    const size = async (side: 'Height' | 'Width') =>
      await page.evaluate<number>(`document.documentElement.scroll${side}`);
    await expect.poll(async () => await size('Height'), { message: part }).toBeLessThanOrEqual(2600);
    await expect.poll(async () => await size('Width'), { message: part }).toBeLessThanOrEqual(390);
    expect(await faultsIn(page), part).toEqual([]);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { app } = await manage<Config>(`projects/${projectId}/apps/${appId}`);
  expect(app).toMatchObject({ name: 'Weir', oidcConfig: { authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' } });
  await page.goto(`${at}/nowhere`);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

describe('a service user', () => {
  it('is made in three clicks, with a token that works', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Service users'));
    await click(page.getByRole('link', { name: 'Add a service user' }).first());
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Night Watch');
    await expect
      .poll(async () => await page.getByRole('textbox', { name: 'User name' }).inputValue())
      .toBe('night-watch');
    expect(await faultsIn(page)).toEqual([]);
    await click(page.getByRole('button', { name: 'Create service user' }));
    await opens(page, 'Night Watch is ready');
    expect(count()).toBe(3);

    const token = await secretOf(page, 'Personal access token');
    const me = await fetch(`${stage().issuer}/auth/v1/users/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await me.json()).toMatchObject({ user: { userName: 'night-watch' } });
    expect(await faultsIn(page)).toEqual([]);

    await page.getByRole('link', { name: 'Open the service user' }).click();
    await opens(page, 'Night Watch');
    await expect.poll(async () => await page.locator('#content').textContent()).not.toContain(token);
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('is there once where its credential failed, also for whoever tries again after a reload', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/service-users/new`);
    await opens(page, 'Add a service user');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Half Watch');
    const refusal = { status: 400, json: { code: 3, message: 'Not now.' } };
    await page.route('**/users/*/pats', async (route) => await route.fulfill(refusal));
    const create = page.getByRole('button', { name: 'Create service user' });
    await create.click();
    await page.getByText('Not now.').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*\/pats$/)]);
    // nothing of the account is sent again, which is said
    await page.getByText('only what it authenticates with is missing').waitFor();
    for (const name of ['Name', 'User name', 'Description'])
      await expect
        .poll(async () => await page.getByRole('textbox', { name, exact: true }).isEditable())
        .toBe(false);
    await expect.poll(async () => await faultsIn(page)).toEqual([]);
    const there = page.getByRole('link', { name: 'Open the service user' });
    await expect
      .poll(async () => await there.getAttribute('href'))
      .toMatch(new RegExp(`/orgs/${orgId}/service-users/[^/]+$`));
    await page.unroute('**/users/*/pats');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await opens(page, 'Add a service user');
    await create.click();
    await opens(page, 'Half Watch is ready');
    expect(await secretOf(page, 'Personal access token')).not.toBe('');
    await expect.poll(async () => await keptIn(page)).not.toContain('console.draft');
    expect(visitor.complaints).toEqual([]);
  });

  it('keeps a token that is shown once where its page cannot be read again', async () => {
    const { userId: id } = await manage<{ readonly userId: string }>('users/machine', {
      userName: 'lamplighter',
      name: 'Lamplighter',
    });
    const { page, visitor, userId, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    const { user } = await manage<{ readonly user: { readonly preferredLoginName: string } }>(
      `users/${userId}`,
    );
    await goesTo(page, `orgs/${orgId}/service-users/${id}`);
    await opens(page, 'Lamplighter');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByRole('button', { name: 'Make the token' }).click();
    const title = 'Personal access token';
    const token = await secretOf(page, title);
    await stage().asRoot('DELETE', `management/v1/users/${userId}/sessions`);
    await page.context().clearCookies();
    const again = async (): Promise<void> =>
      await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await page.clock.setFixedTime(new Date(Date.now() + 120_000));
    await again();
    const isOver = page.locator('#content').getByText('Your session has ended');
    await isOver.first().waitFor();
    expect(await secretOf(page, title)).toBe(token);
    // whoever left this page would lose it
    await expect.poll(async () => await page.getByRole('button', { name: 'Sign in here' }).count()).toBe(0);
    expect(await faultsIn(page)).toEqual([]);
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).first().click(),
    ]);
    const { form } = visitor.texts;
    await tab.getByLabel(form.loginName).fill(user.preferredLoginName);
    await tab.getByLabel(form.password, { exact: true }).fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await tab.locator('#content h1').waitFor();
    await tab.close();
    await again();
    await expect.poll(async () => await isOver.count()).toBe(0);
    expect(await secretOf(page, title)).toBe(token);
    const complaints = visitor.complaints.splice(0);
    expect(complaints).not.toHaveLength(0);
    for (const complaint of complaints) expect(complaint).toMatch(/^401 for /);
  });

  it('gets a key as a file, roles in a project, and is deleted by its name', async () => {
    const projectId = await project('Lock gates');
    await manage(`projects/${projectId}/roles`, { roleKey: 'keeper', displayName: 'Keeper' });
    const { userId } = await manage<{ readonly userId: string }>('users/machine', {
      userName: 'gatekeeper',
      name: 'Gatekeeper',
    });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/service-users/${userId}`);
    await opens(page, 'Gatekeeper');
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByRole('button', { name: 'Make the key' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('gatekeeper-key.json');
    expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
      type: 'serviceaccount',
      userId,
    });

    await page.getByRole('combobox', { name: 'Project' }).fill('lock');
    await page.getByRole('option', { name: 'Lock gates' }).click();
    await page.getByRole('combobox', { name: 'Roles' }).click();
    await page.getByRole('option', { name: 'Keeper (keeper)' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Give' }).click();
    await page.getByText('The roles are given.').waitFor();
    await page.getByRole('table', { name: 'Roles' }).getByText('keeper').waitFor();

    await page.getByRole('button', { name: 'Delete service user' }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(async () => await dialog.getByRole('button', { name: 'Delete service user' }).isDisabled())
      .toBe(true);
    await dialog.getByRole('textbox').fill('gatekeeper');
    await dialog.getByRole('button', { name: 'Delete service user' }).click();
    await page.getByText('The service user is deleted.').waitFor();
    await opens(page, 'Service users');
    await expect.poll(async () => await page.getByRole('link', { name: 'Gatekeeper' }).count()).toBe(0);
  });
});

it('shows somebody who may only look no button that changes anything', async () => {
  const projectId = await project('Breakwater');
  const { appId } = await manage<{ readonly appId: string }>(`projects/${projectId}/apps/oidc`, {
    name: 'Buoy',
    redirectUris: ['https://buoy.example.com/callback'],
  });
  const { userId } = await manage<{ readonly userId: string }>('users/machine', {
    userName: 'buoy-keeper',
    name: 'Buoy keeper',
  });
  const { page, orgId } = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
  const at = `orgs/${orgId}`;
  for (const address of [
    `${at}/projects`,
    `${at}/projects/${projectId}`,
    `${at}/projects/${projectId}/applications/${appId}`,
    `${at}/projects/${projectId}/applications/${appId}/sign-in`,
    `${at}/projects/${projectId}/applications/${appId}/tokens`,
    `${at}/projects/${projectId}/applications/${appId}/access`,
    `${at}/projects/${projectId}/applications/${appId}/code`,
    `${at}/service-users`,
    `${at}/service-users/${userId}`,
  ]) {
    await goesTo(page, address);
    await page.locator('#content h1').waitFor();
    await settles(page);
    const buttons = page
      .locator('#content')
      .getByRole('button', { name: /^(?:Add|Make|Delete|Remove|Lock|Deactivate|Register|Give|Save)/ });
    await expect.poll(async () => await buttons.allTextContents()).toEqual([]);
    await expect
      .poll(async () => await page.locator('#content').getByRole('link', { name: /^Add/ }).count())
      .toBe(0);
    expect(await faultsIn(page), address).toEqual([]);
  }
});
