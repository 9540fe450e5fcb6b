import { expect, it } from 'vitest';
import { faultsIn, opens, ownerAtConsole, PASSWORD, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// Identity providers in the console: one is made, changed and removed; a user's account there; which of the instance's may be used.

const stage = useStage();

it('a provider is made by its form, activated, changed and removed', async () => {
  const { page, orgId } = await ownerAtConsole(stage());
  await page.goto(`${stage().issuer}/console/orgs/${orgId}/sign-in/providers/new`);
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
  const { page, orgId } = await ownerAtConsole(stage());
  await page.goto(`${stage().issuer}/console/orgs/${orgId}/users/${human.userId}/security`);
  await opens(page, 'Ada Lovelace');
  await page.getByText('The user has no account elsewhere.').waitFor();
  await page.getByRole('button', { name: 'Add an account elsewhere' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: /Provider/ }).click();
  await page.getByRole('option', { name: 'Acme Directory' }).click();
  await dialog.getByLabel(/ID at the provider/).fill('ada-at-acme');
  await dialog.getByLabel('Name to show').fill('ada@acme.example');
  await dialog.getByRole('button', { name: 'Add an account elsewhere' }).click();
  const table = page.getByRole('table', { name: 'Accounts elsewhere' });
  await table.getByText('ada@acme.example').waitFor();
  await settles(page);
  expect(await faultsIn(page)).toEqual([]);
  await table.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The user has no account elsewhere.').waitFor();
  await stage().asRoot('DELETE', `management/v1/idps/${id}`);
});

it('providers of the instance are chosen by their names', async () => {
  const { id } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/idps', {
    kind: 'google',
    name: 'Google for all',
    clientId: 'abc',
    clientSecret: 'Marker-secret-of-google',
  });
  await stage().asRoot('POST', `admin/v1/idps/${id}/_activate`);
  const { page, orgId } = await ownerAtConsole(stage());
  await page.goto(`${stage().issuer}/console/orgs/${orgId}/sign-in/login`);
  await opens(page, 'Login');
  await page.getByRole('combobox', { name: 'Providers of the instance' }).click();
  await page.getByRole('option', { name: 'Google for all' }).click();
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
  await stage().asRoot('DELETE', 'management/v1/policies/login');
  await stage().asRoot('DELETE', `admin/v1/idps/${id}`);
});
