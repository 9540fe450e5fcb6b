// SQL by hand: owners who have no password are made by taking theirs away
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { OldSystemDouble } from '../support/old-system.js';
import { SamlProvider } from '../support/saml-provider.js';
import {
  faultsIn,
  goesTo,
  keptIn,
  opens,
  ownerAtConsole,
  PASSWORD,
  settles,
  type AtConsole,
} from './support/console.js';
import { useStage } from './support/stage.js';

// Identity providers in the console: one is made, changed and removed; a user's account there; which of the instance's may be used;
// and the tokens by which directories and applications come in.

const stage = useStage({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', CLIENT_REGISTRATION: 'token' });

const NOT_NOW = { status: 400, json: { code: 3, message: 'Not now' } };

async function startsAProvider(kind: string): Promise<AtConsole> {
  const owner = await ownerAtConsole(stage());
  const { page, orgId } = owner;
  await goesTo(page, `orgs/${orgId}/sign-in/providers/new`);
  await opens(page, 'Add an identity provider');
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: kind }).click();
  return owner;
}

/** Whoever goes on by the keyboard after a question was answered goes on there. */
async function hasFocus(what: Locator): Promise<void> {
  await expect
    .poll(async () => await what.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true);
}

/** A refusal stands at the field that it is about, which has the focus and what was typed. */
async function isRefused(owner: AtConsole, field: Locator, message: string, typed: string): Promise<void> {
  await expect.poll(() => owner.visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for /)]);
  await expect.poll(async () => await field.getAttribute('aria-invalid')).toBe('true');
  const described = (await field.getAttribute('aria-describedby')) ?? '';
  const ids = described.split(' ').map((id) => `[id="${id}"]`);
  await expect
    .poll(async () => (await owner.page.locator(ids.join(', ')).allTextContents()).join(' '))
    .toContain(message);
  await hasFocus(field);
  await expect.poll(async () => await field.inputValue()).toBe(typed);
  expect(await faultsIn(owner.page)).toEqual([]);
}

interface Provider {
  readonly idp: Readonly<Record<string, unknown>>;
}

async function removeProvider({ page }: AtConsole, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Remove the provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: 'Remove the provider' }).click();
  await opens(page, 'Identity providers');
  await expect.poll(async () => await page.getByRole('link', { name }).count()).toBe(0);
  await hasFocus(page.locator('#content'));
}

/** Shows the fields that few need. */
async function unfold(page: Page, title: string): Promise<void> {
  await page.locator('summary', { hasText: title }).click();
}

/** About three screens of a phone, and nothing is wider than one. */
async function fitsAPhone({ page }: AtConsole): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const scroll = async (side: 'Height' | 'Width') =>
    await page.evaluate<number>(`document.documentElement.scroll${side}`);
  await expect.poll(async () => await scroll('Height')).toBeLessThanOrEqual(2600);
  await expect.poll(async () => await scroll('Width')).toBeLessThanOrEqual(390);
  expect(await faultsIn(page)).toEqual([]);
  if (size !== null) await page.setViewportSize(size);
}

function idIn(url: string): string {
  return /providers\/(\w+)$/.exec(url)?.[1] ?? '';
}

it('a provider is made by its form, activated, changed and removed', async () => {
  const { page, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/sign-in/providers/new`);
  await opens(page, 'Add an identity provider');
  expect(await faultsIn(page)).toEqual([]);
  const content = page.locator('#content');
  await content.getByLabel('Name', { exact: false }).first().fill('Acme Directory');
  await content.getByLabel('Issuer').fill('https://login.acme.example');
  await content.getByLabel('Client ID').fill('identity-service');
  await content.getByLabel('Client secret', { exact: false }).first().fill('Marker-secret-of-acme');
  await content.getByRole('button', { name: 'Add the provider' }).click();
  await opens(page, 'Acme Directory');
  await page.getByText('/login/idps/').first().waitFor();
  expect(await faultsIn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('button', { name: 'Switch off' }).waitFor();
  await content.getByLabel('Name', { exact: false }).first().fill('Acme');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await opens(page, 'Acme');
  await page.getByRole('button', { name: 'Remove the provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Acme');
  await dialog.getByRole('button', { name: 'Remove the provider' }).click();
  await opens(page, 'Identity providers');
});

it('owners are told where none of them has a password or a passkey', async () => {
  const { page } = await ownerAtConsole(stage());
  const note = page.getByText('The owners depend on a provider to sign in');
  await goesTo(page, 'instance/settings/identity-providers');
  await opens(page, 'Identity providers');
  await page.getByText('No identity provider yet').waitFor();
  await expect.poll(async () => await note.count()).toBe(0);
  const sql = new pg.Client({ connectionString: stage().database.url });
  await sql.connect();
  try {
    await sql.query('CREATE TEMP TABLE kept AS SELECT * FROM user_passwords');
    await sql.query('DELETE FROM user_passwords');
    await page.reload();
    // there is none that could be away
    await page.getByText('No identity provider yet').waitFor();
    await expect.poll(async () => await note.count()).toBe(0);
    const { id } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/idps', {
      kind: 'google',
      name: 'Google for owners',
      clientId: 'abc',
      clientSecret: 'Marker-secret-of-google',
    });
    await stage().asRoot('POST', `admin/v1/idps/${id}/_activate`);
    await page.reload();
    await note.waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await stage().asRoot('DELETE', `admin/v1/idps/${id}`);
  } finally {
    await sql.query('INSERT INTO user_passwords SELECT * FROM kept');
    await sql.end();
  }
});

it('JSON that was just typed is saved by one click', async () => {
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/idps', {
    kind: 'oidc',
    name: 'Acme JSON',
    issuer: 'https://login.acme.example',
    clientId: 'identity-service',
    clientSecret: 'Marker-secret-of-acme',
  });
  const { page, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/sign-in/providers/${id}`);
  await opens(page, 'Acme JSON');
  await unfold(page, 'Claims');
  const mapping = page.getByRole('textbox', { name: 'Claim mapping' });
  await mapping.fill('{"fields":{"nickName":"nick","email":"mail"}}');
  // where the button stands below the field, and would be moved by it
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const box = await save.boundingBox();
  if (box === null) throw new Error('there is no button to save by');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.up();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await stage().asRoot<Provider>('GET', `management/v1/idps/${id}`)).idp).toMatchObject({
    mapping: { fields: { nickName: 'nick', email: 'mail' } },
  });
  // and is easy to read afterwards
  await expect.poll(async () => (await mapping.inputValue()).split('\n').length).toBeGreaterThan(3);
  await stage().asRoot('DELETE', `management/v1/idps/${id}`);
});

it('an account elsewhere is added to a user and removed', async () => {
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/idps', {
    kind: 'oidc',
    name: 'Acme Directory',
    issuer: 'https://login.acme.example',
    clientId: 'identity-service',
    clientSecret: 'Marker-secret-of-acme',
  });
  await stage().asRoot('POST', `management/v1/idps/${id}/_activate`);
  const human = await stage().importHuman({ password: PASSWORD });
  const { page, visitor, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/users/${human.userId}/security`);
  await opens(page, 'Ada Lovelace');
  await page.getByText('The user has no linked identity.').waitFor();
  // nobody is told that there is no provider because none could be read
  await page.route('**/management/v1/idps/_search', async (route) => await route.fulfill(NOT_NOW));
  await page.getByRole('button', { name: 'Link an identity' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('combobox', { name: /Provider/ }).click();
  await expect.poll(async () => await page.getByText('No provider of the organization yet').count()).toBe(0);
  expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*idps/)]);
  await page.unroute('**/management/v1/idps/_search');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByRole('alert').waitFor({ state: 'detached' });
  await dialog.getByRole('combobox', { name: /Provider/ }).click();
  await page.getByRole('option', { name: 'Acme Directory' }).click();
  await dialog.getByLabel(/ID at the provider/).fill('ada-at-acme');
  // closed by accident: what was typed is there again
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Link an identity' }).click();
  await expect
    .poll(async () => await dialog.getByLabel(/ID at the provider/).inputValue())
    .toBe('ada-at-acme');
  await dialog.getByLabel('Display name').fill('ada@acme.example');
  await dialog.getByRole('button', { name: 'Link an identity' }).click();
  const table = page.getByRole('table', { name: 'Linked identities' });
  await table.getByText('ada@acme.example').waitFor();
  await settles(page);
  expect(await faultsIn(page)).toEqual([]);
  await table.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The user has no linked identity.').waitFor();
  await stage().asRoot('DELETE', `management/v1/idps/${id}`);
});

it.each([
  [7, 'Expires soon'],
  [-1, 'Expired'],
  [60, undefined],
])('a provider whose secret ends in %i days is marked in the list and on its page', async (days, mark) => {
  const secretExpirationDate = new Date(Date.now() + days * 86_400_000).toISOString();
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/idps', {
    kind: 'oidc',
    name: 'Signal Directory',
    issuer: 'https://login.acme.example',
    clientId: 'identity-service',
    clientSecret: 'Marker-secret-of-acme',
    secretExpirationDate,
  });
  const { page, visitor, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/sign-in/providers`);
  const row = page.getByRole('row').filter({ hasText: 'Signal Directory' });
  await row.waitFor();
  const marks = /^(?:Expires soon|Expired)$/;
  const shown = mark === undefined ? [] : [mark];
  await expect.poll(async () => await row.getByText(marks).allTextContents()).toEqual(shown);
  expect(await faultsIn(page)).toEqual([]);
  await row.getByRole('link', { name: 'Signal Directory' }).click();
  await opens(page, 'Signal Directory');
  const content = page.locator('#content');
  await expect.poll(async () => await content.getByText(marks).allTextContents()).toEqual(shown);
  expect(await faultsIn(page)).toEqual([]);
  await stage().asRoot('DELETE', `management/v1/idps/${id}`);
  expect(visitor.complaints).toEqual([]);
});

it('the day on which a secret expires is that day west of Greenwich too', async () => {
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/idps', {
    kind: 'google',
    name: 'Western Directory',
    clientId: 'identity-service',
    clientSecret: 'Marker-secret-of-acme',
    secretExpirationDate: '2100-05-01T00:00:00Z',
  });
  const { page, orgId } = await ownerAtConsole(stage());
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
  await page.goto(`${stage().issuer}/console/orgs/${orgId}/sign-in/providers/${id}`);
  await opens(page, 'Western Directory');
  const day = page.getByText('1 May 2100', { exact: true });
  await expect.poll(async () => await day.count()).toBe(1);
  await stage().asRoot('DELETE', `management/v1/idps/${id}`);
});

it('the time of day at which a secret expires stays with another change, and goes with another day', async () => {
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/idps', {
    kind: 'google',
    name: 'Afternoon Directory',
    clientId: 'identity-service',
    clientSecret: 'Marker-secret-of-acme',
    secretExpirationDate: '2100-05-01T15:00:00Z',
  });
  const expires = async () =>
    (await stage().asRoot<Provider>('GET', `management/v1/idps/${id}`)).idp['secretExpirationDate'];
  const { page, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/sign-in/providers/${id}`);
  await opens(page, 'Afternoon Directory');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Evening Directory');
  await save.click();
  await opens(page, 'Evening Directory');
  expect(Date.parse(String(await expires()))).toBe(Date.UTC(2100, 4, 1, 15));
  await page.getByLabel('The secret expires on').fill('2100-05-02');
  await save.click();
  await expect.poll(async () => Date.parse(String(await expires()))).toBe(Date.UTC(2100, 4, 2));
  await stage().asRoot('DELETE', `management/v1/idps/${id}`);
});

it('providers of the instance are chosen by their names', async () => {
  const before = await ownerAtConsole(stage());
  await goesTo(before.page, `orgs/${before.orgId}/sign-in/login`);
  await opens(before.page, 'Login');
  // nothing to open where there is nothing to choose
  await before.page.getByText('The instance has no active provider.').waitFor();
  await expect
    .poll(async () => await before.page.getByRole('combobox', { name: 'Providers of the instance' }).count())
    .toBe(0);
  expect(await faultsIn(before.page)).toEqual([]);
  const { id } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/idps', {
    kind: 'google',
    name: 'Google for all',
    clientId: 'abc',
    clientSecret: 'Marker-secret-of-google',
  });
  await stage().asRoot('POST', `admin/v1/idps/${id}/_activate`);
  const { page, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/sign-in/login`);
  await opens(page, 'Login');
  const choice = page.getByRole('combobox', { name: 'Providers of the instance' });
  await expect.poll(async () => await choice.getAttribute('placeholder')).toBe('None');
  await choice.click();
  await page.getByRole('option', { name: 'Google for all' }).click();
  await expect.poll(async () => await choice.getAttribute('placeholder')).not.toBe('None');
  await page.keyboard.press('Escape');
  expect(await faultsIn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(
      async () =>
        (
          await stage().asRoot<{ policy: { instanceIdps?: readonly string[] } }>(
            'GET',
            'management/v1/policies/login',
          )
        ).policy.instanceIdps,
    )
    .toEqual([id]);
  const homeRealm = async () =>
    (await stage().asRoot<{ policy: { homeRealmIdpId?: string } }>('GET', 'management/v1/policies/login'))
      .policy.homeRealmIdpId;
  const realm = page.getByRole('combobox', { name: 'Provider for our domains' });
  await realm.click();
  await page.getByRole('option', { name: 'Google for all' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(homeRealm).toBe(id);
  expect(await faultsIn(page)).toEqual([]);
  // what leads nobody there any more says so, and goes with the provider that it is one of
  await stage().asRoot('POST', `admin/v1/idps/${id}/_deactivate`);
  await page.reload();
  await opens(page, 'Login');
  await page.getByText('This provider is inactive or removed.').waitFor();
  await choice.click();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Escape');
  await expect.poll(async () => await realm.count()).toBe(0);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(homeRealm).toBe(undefined);
  await stage().asRoot('DELETE', 'management/v1/policies/login');
  await stage().asRoot('DELETE', `admin/v1/idps/${id}`);
});

it('a login policy is shown where the names of the providers in it cannot be read', async () => {
  await stage().asRoot('PUT', 'management/v1/policies/login', { instanceIdps: [] });
  const { page, visitor, orgId } = await ownerAtConsole(stage());
  await page.route('**/management/v1/idps/_instance', async (route) => await route.fulfill(NOT_NOW));
  await goesTo(page, `orgs/${orgId}/sign-in/login`);
  await opens(page, 'Login');
  await page.getByRole('alert').waitFor();
  await page.getByRole('combobox', { name: 'Providers of the instance' }).click();
  await expect.poll(async () => await page.getByText(/no (other )?active provider/).count()).toBe(0);
  await page.keyboard.press('Escape');
  // the rest of it can be changed
  await page.getByRole('switch', { name: 'Users can delete their account' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  // what is read again after it has been
  await page.getByText('The policy is saved').waitFor();
  await expect
    .poll(
      async () =>
        (
          await stage().asRoot<{ policy: { allowAccountDeletion?: boolean } }>(
            'GET',
            'management/v1/policies/login',
          )
        ).policy.allowAccountDeletion,
    )
    .toBe(true);
  await stage().asRoot('DELETE', 'management/v1/policies/login');
  expect(new Set(visitor.complaints.splice(0).map((line) => /_instance/.test(line)))).toEqual(
    new Set([true]),
  );
});

it('a directory is added field by field, keeps what was typed when it is refused, is changed and removed', async () => {
  const owner = await startsAProvider('LDAP, Active Directory');
  const { page } = owner;
  const servers = page.getByRole('textbox', { name: 'Servers' });
  const password = page.getByLabel('Password of the service account', { exact: false }).first();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme accounts');
  await servers.fill('https://dc1.acme.example');
  await page.getByRole('textbox', { name: 'Base DN' }).fill('dc=acme,dc=example');
  await page.getByRole('textbox', { name: 'Service account (bind DN)' }).fill('cn=reader,dc=acme,dc=example');
  await password.fill('Marker-bind-password');
  expect(await faultsIn(page)).toEqual([]);
  const add = page.getByRole('button', { name: 'Add the provider' });
  await add.click();
  await isRefused(owner, servers, 'must start with ldaps:// or ldap://', 'https://dc1.acme.example');
  await servers.fill('ldaps://dc1.acme.example\nldaps://dc2.acme.example');
  const filter = page.getByRole('textbox', { name: 'User filter' });
  await filter.fill('(uid=everybody)');
  await add.click();
  await isRefused(owner, filter, 'must compare something with {loginName}', '(uid=everybody)');
  await filter.fill('(uid={loginName})');
  await add.click();
  await opens(page, 'Acme accounts');

  const path = `management/v1/idps/${idIn(page.url())}`;
  expect((await stage().asRoot<Provider>('GET', path)).idp).toMatchObject({
    kind: 'ldap',
    urls: ['ldaps://dc1.acme.example', 'ldaps://dc2.acme.example'],
    startTls: false,
    baseDn: 'dc=acme,dc=example',
    bindDn: 'cn=reader,dc=acme,dc=example',
    userFilter: '(uid={loginName})',
    subjectAttribute: 'entryUUID',
    timeoutMs: '5000',
  });
  // people are known by these
  for (const fixed of ['Base DN', 'Subject attribute'])
    await expect
      .poll(async () => await page.getByRole('textbox', { name: fixed }).getAttribute('readonly'))
      .not.toBeNull();
  await expect.poll(async () => await password.inputValue()).toBe('');
  await servers.fill('ldaps://dc3.acme.example');
  await page.getByRole('switch', { name: 'Treat e-mail addresses as verified' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  // it would go elsewhere
  await isRefused(owner, password, 'bindPassword', '');
  await password.fill('Marker-bind-password');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await stage().asRoot<Provider>('GET', path)).idp).toMatchObject({
    urls: ['ldaps://dc3.acme.example'],
    trustEmail: true,
  });
  await expect.poll(async () => await keptIn(page)).not.toContain('Marker-bind-password');
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('button', { name: 'Switch off' }).waitFor();
  await removeProvider(owner, 'Acme accounts');
});

it('a provider that speaks SAML is added by its name, told its metadata, read again and removed', async () => {
  const provider = await SamlProvider.start();
  const movedUrl = 'https://idp.test/saml/moved';
  let served = provider.metadata();
  const server = createServer((_request, response) => response.end(served));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const owner = await startsAProvider('SAML 2.0');
  const { page } = owner;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme SAML');
  const metadata = page.getByRole('textbox', { name: 'Metadata', exact: true });
  await metadata.fill('<EntityDescriptor/>');
  expect(await faultsIn(page)).toEqual([]);
  const add = page.getByRole('button', { name: 'Add the provider' });
  await add.click();
  await isRefused(owner, metadata, 'metadata', '<EntityDescriptor/>');
  await metadata.fill('');
  await add.click();
  await opens(page, 'Acme SAML');
  // it cannot be asked before its metadata is here; it is told who we are
  await page.getByText('/callback').first().waitFor();
  expect(await faultsIn(page)).toEqual([]);

  const path = `management/v1/idps/${idIn(page.url())}`;
  const address = page.getByRole('textbox', { name: 'Metadata URL' });
  await address.fill('mailto:acme@acme.example');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await isRefused(owner, address, 'metadataUrl', 'mailto:acme@acme.example');
  const metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
  await address.fill(metadataUrl);
  await unfold(page, 'Signatures and encryption');
  await page.getByRole('switch', { name: 'Assertions must be encrypted' }).check();
  await unfold(page, 'Signatures and encryption');
  await save.click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await fitsAPhone(owner);
  await unfold(page, 'Values from the metadata');
  await expect
    .poll(async () => await page.getByRole('textbox', { name: 'Entity ID of the provider' }).inputValue())
    .toBe(provider.entityId);
  expect((await stage().asRoot<Provider>('GET', path)).idp).toMatchObject({
    metadataUrl,
    entityId: provider.entityId,
    ssoUrl: provider.ssoUrl,
    wantAssertionsEncrypted: true,
  });

  served = provider.metadata().replaceAll(provider.ssoUrl, movedUrl);
  await page.getByRole('button', { name: 'Reload its metadata' }).click();
  await expect
    .poll(async () => await page.getByRole('textbox', { name: 'Single sign-on URL' }).inputValue())
    .toBe(movedUrl);
  // what stands at another address counts from the save on, and what was read at the one before does not stand against it
  served = provider.metadata();
  await address.fill(`${metadataUrl}/moved`);
  await save.click();
  await expect
    .poll(async () => await page.getByRole('textbox', { name: 'Single sign-on URL' }).inputValue())
    .toBe(provider.ssoUrl);
  served = '<EntityDescriptor/>';
  await address.fill(`${metadataUrl}/broken`);
  await save.click();
  await isRefused(owner, address, 'metadataUrl', `${metadataUrl}/broken`);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('button', { name: 'Switch off' }).waitFor();
  await removeProvider(owner, 'Acme SAML');
});

it('a directory that people come over from is set, changed and given up', async () => {
  const owner = await ownerAtConsole(stage());
  const { page, orgId } = owner;
  await goesTo(page, `orgs/${orgId}/sign-in/migration`);
  await opens(page, 'Just-in-time migration');
  await page.getByRole('combobox', { name: 'Kind of the old system' }).click();
  await page.getByRole('option', { name: 'A directory (LDAP, Active Directory)' }).click();
  expect(await faultsIn(page)).toEqual([]);
  const servers = page.getByRole('textbox', { name: 'Servers' });
  await servers.fill('ldaps://old.acme.example');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  // what is missing is said before anything is sent
  await page.getByText('This is required.').first().waitFor();
  await page.getByRole('textbox', { name: 'Base DN' }).fill('dc=acme,dc=example');
  await page.getByRole('textbox', { name: 'Service account (bind DN)' }).fill('cn=reader,dc=acme,dc=example');
  const password = page.getByLabel('Password of the service account', { exact: false }).first();
  await password.fill('Marker-bind-password');
  await unfold(page, 'Limits and details');
  const mapping = page.getByRole('textbox', { name: 'Attribute mapping' });
  await mapping.fill('{"fields":{"nickName":"nick"}}');
  // what is wrong is shown also where it was folded away again
  const deadline = page.getByRole('textbox', { name: 'Timeout in milliseconds' });
  await deadline.fill('50');
  await unfold(page, 'Limits and details');
  await deadline.waitFor({ state: 'hidden' });
  await save.click();
  await expect
    .poll(async () => await deadline.evaluate((field) => field === field.ownerDocument.activeElement))
    .toBe(true);
  await deadline.fill('2000');
  await save.click();
  await page.getByText('The migration is saved.').waitFor();
  const stored = async () =>
    (await stage().asRoot<{ userMigration: object }>('GET', 'management/v1/user_migration')).userMigration;
  expect(await stored()).toMatchObject({
    kind: 'ldap',
    urls: ['ldaps://old.acme.example'],
    baseDn: 'dc=acme,dc=example',
    userFilter: '(&(objectClass=person)(uid={loginName}))',
    mapping: { fields: { nickName: 'nick' } },
  });
  // nothing is signed to a directory
  await expect.poll(async () => await page.getByRole('button', { name: 'New secret' }).count()).toBe(0);
  await page.reload();
  await opens(page, 'Just-in-time migration');
  await fitsAPhone(owner);

  await page.getByRole('textbox', { name: 'Base DN' }).fill('ou=people,dc=acme,dc=example');
  await page.getByRole('switch', { name: 'Query the old system' }).check();
  await save.click();
  // what it was before stays as it is, the password with it
  await expect
    .poll(async () => await stored())
    .toMatchObject({ baseDn: 'ou=people,dc=acme,dc=example', isActive: true });
  await servers.fill('ldaps://new.acme.example');
  await save.click();
  await isRefused(owner, password, 'bindPassword', '');
  await password.fill('Marker-bind-password');
  await save.click();
  await expect.poll(async () => await stored()).toMatchObject({ urls: ['ldaps://new.acme.example'] });
  const notice = page.getByText('Access to the directory expires soon');
  await expect.poll(async () => await notice.count()).toBe(0);
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('The password of the service account expires on').fill(inAWeek);
  await save.click();
  await notice.waitFor();
  expect(await stored()).toMatchObject({ expirationDate: `${inAWeek}T00:00:00.000Z` });
  expect(await faultsIn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The migration is removed.').waitFor();
});

it('a migration says how many of those who are expected came over, and that it is over', async () => {
  const old = await OldSystemDouble.start();
  onTestFinished(async () => await old.stop());
  const settings = { kind: 'webhook', url: old.url, isActive: true, expectedUsers: 4 };
  const endsIn = async (seconds: number) =>
    await stage().asRoot('PUT', 'management/v1/user_migration', {
      ...settings,
      endsAt: new Date(Date.now() + seconds * 1000).toISOString(),
    });
  await endsIn(3_600);
  const { signingSecret } = await stage().asRoot<{ signingSecret: string }>(
    'POST',
    'management/v1/user_migration/_rotate_secret',
  );
  old.secret = signingSecret;
  const email = { email: 'grace@post.example', isEmailVerified: true };
  const human = { userName: 'grace', profile: { firstName: 'Grace', lastName: 'Hopper' }, email };
  old.users.set('grace@lighthouse.example', { password: PASSWORD, human });
  const newcomer = await stage().visit();
  await newcomer.page.goto(stage().depart().url);
  await newcomer.signIn('grace@lighthouse.example', PASSWORD);
  await newcomer.isBack();

  const { page, visitor, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/sign-in/migration`);
  const progress = page.getByRole('region', { name: 'Progress' });
  await progress.getByText('1 of 4 users were migrated.').waitFor();
  const bar = progress.getByRole('progressbar', { name: 'Progress' });
  await expect.poll(async () => await bar.getAttribute('aria-valuenow')).toBe('25');
  await progress.getByText('On', { exact: true }).waitFor();
  expect(await faultsIn(page)).toEqual([]);
  // made anew here, and shown once
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
  await page.getByText('Requests are signed with a new secret.').waitFor();
  await hasFocus(page.getByRole('button', { name: 'New secret' }));
  const shown = page.getByRole('alert', { name: 'The secret that requests to the old system' });
  await expect.poll(async () => await shown.locator('pre').innerText()).not.toBe(signingSecret);
  // it has to be in the future when it is set
  await endsIn(5);
  await expect
    .poll(async () => {
      await page.reload();
      await progress.waitFor();
      return await progress.getByText('Ended', { exact: true }).count();
    })
    .toBe(1);
  await stage().asRoot('DELETE', 'management/v1/user_migration');
  expect(visitor.complaints).toEqual([]);
});

it.each([
  ['Provisioning by SCIM', 'Make a SCIM token', 'SCIM token', 'Last used: Never'],
  [
    'Applications that register themselves',
    'Make an initial access token',
    'Initial access token',
    'Used: 0 of 1',
  ],
])(
  '%s: a token is made, shown once, listed also on a phone, and removed',
  async (title, add, made, state) => {
    await stage().asRoot('POST', 'management/v1/projects', { name: `Workshop of ${made}` });
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/settings`);
    await opens(page, 'Settings');
    const section = page.getByRole('region', { name: title });
    await section.getByRole('button', { name: add }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ferry');
    await dialog.getByRole('combobox', { name: /^(?:Groups|Project)/ }).click();
    await page.getByRole('option', { name: `Workshop of ${made}` }).click();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the token' }).click();
    const shown = page.getByRole('alert', { name: made });
    const read = async () => (await shown.locator('code, pre').first().textContent()) ?? '';
    await expect.poll(read).toMatch(/^\S{30,}$/);
    const token = await read();
    await page.reload();
    const row = section.getByRole('row', { name: /Ferry/ });
    await row.waitFor();
    await expect.poll(async () => await page.locator('#content').textContent()).not.toContain(token);
    await page.setViewportSize({ width: 390, height: 844 });
    await row.getByText(state).waitFor();
    await expect
      .poll(async () => await page.evaluate<number>('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(390);
    await expect
      .poll(
        async () => await section.locator('table').evaluate((table) => table.scrollWidth > table.clientWidth),
      )
      .toBe(false);
    expect(await faultsIn(page)).toEqual([]);
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await section.getByText('No tokens yet.').waitFor();
    await hasFocus(section.getByRole('heading', { name: title }));
    expect(visitor.complaints).toEqual([]);
  },
);

it('a token is made for a project that is found by its name, and a list that could not be read says so', async () => {
  const NAME = 'Zebra of many';
  const project = async (name: string) => await stage().asRoot('POST', 'management/v1/projects', { name });
  // more than the dialog reads at once, whichever come first
  const many = async (which: string) =>
    await Promise.all(Array.from({ length: 21 }, async (_, index) => await project(`${which} ${index}`)));
  await many('Early workshop');
  await project(NAME);
  await many('Late workshop');
  const { page, orgId, visitor } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/settings`);
  await opens(page, 'Settings');
  const search = '**/management/v1/projects/_search';
  await page.route(search, async (route) => await route.fulfill(NOT_NOW));
  await page.getByRole('button', { name: 'Make a SCIM token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Not now').waitFor();
  expect(visitor.complaints.splice(0)).toContainEqual(expect.stringMatching(/^400 for .*_search$/));
  await page.unroute(search);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => await dialog.getByText('Not now').count()).toBe(0);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Zebra');
  const field = dialog.getByRole('combobox', { name: /^Groups/ });
  await field.click();
  await expect.poll(async () => await page.getByRole('option').count()).toBe(20);
  await expect.poll(async () => await page.getByRole('option', { name: NAME }).count()).toBe(0);
  await field.fill('Zebra');
  await page.getByRole('option', { name: NAME }).click();
  await expect.poll(async () => await field.inputValue()).toBe(NAME);
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  await page.getByRole('alert', { name: 'SCIM token' }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

it('an application that registered itself is marked in the list, with when it goes unused', async () => {
  const asRoot = async <Answer>(path: string, body: object) =>
    await stage().asRoot<Answer>('POST', `management/v1/${path}`, body);
  const { id: projectId } = await asRoot<{ id: string }>('projects', { name: 'Open workshop' });
  const { token } = await asRoot<{ token: string }>('orgs/me/initial_access_tokens', {
    name: 'Visitors',
    projectId,
  });
  const registered = await fetch(`${stage().issuer}/oauth/v2/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Passer-by', redirect_uris: ['https://passer-by.example/cb'] }),
  });
  expect(registered.status).toBe(201);
  await asRoot(`projects/${projectId}/apps/oidc`, {
    name: 'Made',
    redirectUris: ['https://made.example/cb'],
  });
  const { page, visitor, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
  const rows = page.getByRole('table', { name: 'Applications' }).getByRole('row');
  await rows
    .filter({ hasText: 'Passer-by' })
    .getByText(/^Registered itself, deleted on .*\d{4} if unused$/)
    .waitFor();
  await expect
    .poll(async () => await rows.filter({ hasText: 'Made' }).textContent())
    .not.toContain('Registered');
  expect(await faultsIn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Passer-by' }).click();
  await page.getByText(/^Deleted on .*\d{4} unless somebody signs in with it before\.$/).waitFor();
  expect(visitor.complaints).toEqual([]);
});
