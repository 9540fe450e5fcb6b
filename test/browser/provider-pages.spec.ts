import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { goesTo, opens, ownerAtConsole } from './support/console.js';
import { arePicturesWanted, screenshotPath } from './support/screenshots.js';
import { useStage } from './support/stage.js';

// The pages of docs/providers, followed to the letter in the console: what they say to enter is what its form asks for, and makes a
// provider; so are those of SCIM and of the just-in-time migration. With SCREENSHOTS=dir the pictures of the pages are made anew.

const FOLDER = path.join(import.meta.dirname, '../../docs/providers');
const pages = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));

interface Entry {
  readonly field: string;
  readonly enter: string;
}

/** The first table with the fields to fill in. */
function entriesOf(page: string): readonly Entry[] {
  const [, table = ''] = /^\| Field +\| Enter +\|\n\|[ -]+\|[ -]+\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  return table
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, field = '', enter = '']) => ({ field, enter }));
}

/** What stands for a secret of somebody's own: a key where one is wanted. */
function valueOf(enter: string): string {
  const [, value = ''] = /^`([^`]+)`/.exec(enter) ?? [];
  if (value.startsWith('-----BEGIN')) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  }
  return value.replace('…', '-of-the-provider');
}

const stage = useStage();

it('each page says what to enter, and it makes a provider', async () => {
  const { page, orgId } = await ownerAtConsole(stage());
  const content = page.locator('#content');
  for (const file of pages) {
    const entries = entriesOf(readFileSync(path.join(FOLDER, file), 'utf8'));
    const [kind, name] = entries;
    expect([kind?.field, name?.field], file).toEqual(['Kind', 'Name']);
    await goesTo(page, `orgs/${orgId}/sign-in/providers/new`);
    await opens(page, 'Add an identity provider');
    await content.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: valueOf(kind?.enter ?? ''), exact: true }).click();
    for (const { field, enter } of entries.slice(1)) {
      const label = page.getByLabel(new RegExp(`^${field.replaceAll(/[()]/g, String.raw`\$&`)}`));
      const input = content.locator(label).first();
      const fold = content.locator('details').filter({ has: label });
      // the fields of this kind are there
      await input.waitFor({ state: 'attached' });
      if ((await fold.count()) > 0 && !(await input.isVisible()))
        await fold.first().locator('summary').click();
      if (/^on\b/.test(enter)) await input.check();
      else await input.fill(valueOf(enter));
      // JSON is put in form when it is left, and moves what is below
      await input.blur();
    }
    if (arePicturesWanted) {
      // all of the form, with nothing before it
      await page.setViewportSize({ width: 1440, height: 2400 });
      const picture = screenshotPath(`provider-${path.parse(file).name}`);
      await content.locator('form .mantine-Paper-root').first().screenshot({ path: picture });
    }
    await content.getByRole('button', { name: 'Add the provider' }).click();
    await opens(page, valueOf(name?.enter ?? ''));
    await page.getByRole('button', { name: 'Remove the provider' }).waitFor();
  }
});

it('docs/scim.md says what to enter for a token, and it makes one', async () => {
  const { page, orgId } = await ownerAtConsole(stage());
  await goesTo(page, `orgs/${orgId}/settings`);
  await page.getByRole('button', { name: 'Make a SCIM token' }).click();
  const dialog = page.getByRole('dialog');
  const entries = entriesOf(readFileSync(path.join(FOLDER, '../scim.md'), 'utf8'));
  expect(entries.map(({ field }) => field)).toEqual(['Name', 'Treat e-mail addresses as verified']);
  for (const { field, enter } of entries) {
    const input = dialog.getByLabel(new RegExp(`^${field}`)).first();
    if (/^on\b/.test(enter)) await input.check();
    else await input.fill(valueOf(enter));
  }
  if (arePicturesWanted) await dialog.screenshot({ path: screenshotPath('scim-token') });
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  const row = page.getByRole('table', { name: 'Provisioning by SCIM' }).getByRole('row');
  await row
    .filter({ hasText: 'Entra ID' })
    .filter({ hasText: 'e-mail addresses count as verified' })
    .waitFor();
});

it('docs/just-in-time-migration.md says what to enter, and it begins a migration', async () => {
  const { page, orgId } = await ownerAtConsole(stage());
  const content = page.locator('#content');
  await goesTo(page, `orgs/${orgId}/sign-in/migration`);
  await opens(page, 'Just-in-time migration');
  const entries = entriesOf(readFileSync(path.join(FOLDER, '../just-in-time-migration.md'), 'utf8'));
  expect(entries.map(({ field }) => field)).toContain('Expected users');
  const fold = content.locator('details').first();
  for (const { field, enter } of entries) {
    const input = content.getByLabel(new RegExp(`^${field}`)).first();
    if (field === 'Expected users') await fold.locator('summary').click();
    if (/^on\b/.test(enter)) await input.check();
    else if (field === 'Ends at') await input.fill(inHalfAYear());
    else await input.fill(valueOf(enter));
  }
  if (arePicturesWanted) {
    await page.setViewportSize({ width: 1440, height: 1600 });
    const picture = screenshotPath('just-in-time-migration');
    await content.locator('form .mantine-Paper-root').first().screenshot({ path: picture });
  }
  await content.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The secret that requests to the old system are signed with').waitFor();
  await content.getByText('0 of 12000 users were migrated.').or(content.getByText('0 of 12,000')).waitFor();
});

function inHalfAYear(): string {
  return `${new Date(Date.now() + 180 * 86_400_000).toISOString().slice(0, 10)}T12:00`;
}
