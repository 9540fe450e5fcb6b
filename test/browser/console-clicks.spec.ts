import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { countClicks, opens, ownerAtConsole, PASSWORD, place } from './support/console.js';
import { useStage } from './support/stage.js';

// How many clicks the common tasks take, from the page that opens after the sign-in: what docs/console.md says, each row that no other
// spec counts. Typing is no click.

const stage = useStage();

async function person(lastName: string): Promise<{ readonly name: string; readonly email: string }> {
  const profile = { firstName: 'Grace', lastName };
  const { email } = await stage().importHuman({ password: PASSWORD, profile });
  return { name: `Grace ${lastName}`, email };
}

function user(page: Page, name: string) {
  return page.getByRole('link', { name, exact: true });
}

describe('from the start', () => {
  it('a user is added in three clicks', async () => {
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Users'));
    await click(page.getByRole('link', { name: 'Add a user', exact: true }));
    await page.getByLabel('First name').fill('Jean');
    await page.getByLabel('Last name').fill('Bartik');
    await page.locator('input[type=email]').fill('jean@post.example');
    await click(page.getByRole('button', { name: 'Add user', exact: true }));
    await opens(page, 'Jean Bartik');
    expect(count()).toBe(3);
  });

  it('somebody is invited in three clicks', async () => {
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Users'));
    await click(page.getByRole('link', { name: 'Invite', exact: true }));
    await page.locator('input[type=email]').fill('kay@post.example');
    await page.getByLabel('First name').fill('Kay');
    await page.getByLabel('Last name').fill('McNulty');
    await click(page.getByRole('button', { name: 'Send the invitation' }));
    await opens(page, 'Kay McNulty');
    expect(count()).toBe(3);
  });

  it('somebody is sent a link for a new password in four clicks', async () => {
    const { name, email } = await person('Murray');
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Users'));
    await click(user(page, name));
    const send = { name: 'Send a link to set a new password' };
    await click(page.getByRole('button', send));
    await click(page.getByRole('dialog').getByRole('button', send));
    await page.getByText('The mail is being sent.').waitFor();
    expect(count()).toBe(4);
    await stage().mailTo(email);
  });

  it('all users that a search finds are locked in five clicks', async () => {
    for (const lastName of ['Ferret One', 'Ferret Two']) await person(lastName);
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Users'));
    await page
      .getByRole('searchbox')
      .or(page.getByRole('textbox', { name: /Search/ }))
      .first()
      .fill('ferret');
    await page.getByText('Grace Ferret Two').first().waitFor();
    await expect.poll(async () => await page.locator('.rows .row-link').count()).toBe(2);
    await click(page.getByLabel('Choose all that are shown'));
    await click(page.getByRole('button', { name: 'Bulk actions' }));
    await click(page.getByRole('menuitem', { name: 'Lock', exact: true }));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }));
    await page.getByText('2 done, 0 refused, of 2').waitFor();
    expect(count()).toBe(5);
  });

  it('a user is deleted in four clicks', async () => {
    const { name, email } = await person('Gone');
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Users'));
    await click(user(page, name));
    await click(page.getByRole('button', { name: 'Delete user', exact: true }));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(email.split('@')[0] ?? '');
    await click(dialog.getByRole('button', { name: 'Delete user', exact: true }));
    await page.getByText('The user is deleted.').waitFor();
    expect(count()).toBe(4);
  });

  it('users are imported, and the import is watched, in four clicks', async () => {
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Imports'));
    await click(page.getByRole('link', { name: 'Import a file', exact: true }).first());
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      click(page.getByRole('button', { name: 'Choose a file', exact: true })),
    ]);
    const record = {
      userName: 'betty',
      profile: { firstName: 'Betty', lastName: 'Holberton' },
      email: { email: 'betty@post.example', isEmailVerified: true },
      password: PASSWORD,
    };
    const buffer = Buffer.from(`${JSON.stringify(record)}\n`);
    await chooser.setFiles({ name: 'betty.ndjson', mimeType: 'application/x-ndjson', buffer });
    await click(page.getByRole('button', { name: 'Import 1 record' }));
    await opens(page, 'betty.ndjson');
    await page.locator('#content').getByText('Done', { exact: true }).first().waitFor();
    expect(count()).toBe(4);
  });

  it('the mail that somebody did not get is found in four clicks', async () => {
    const { name } = await person('Waits');
    const { result } = await stage().asRoot<{ result: readonly { id: string }[] }>(
      'POST',
      'management/v1/users/_search',
      { queries: [{ displayNameQuery: { displayName: name } }] },
    );
    await stage().asRoot('POST', `management/v1/users/${result[0]?.id ?? ''}/password/_reset`, {});
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Messages'));
    const recipient = page.getByRole('combobox', { name: 'Recipient' });
    await click(recipient);
    await recipient.fill('Grace Waits');
    await click(page.getByRole('option', { name: /Grace Waits/ }));
    await expect.poll(async () => await page.locator('.rows .row-link').count()).toBe(1);
    await click(page.locator('.rows .row-link').first());
    await opens(page, 'Reset password');
    expect(count()).toBe(4);
  });

  it('the signing key is rotated in three clicks', async () => {
    const { page } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(place(page, 'Signing keys'));
    await click(page.getByRole('button', { name: 'Rotate now', exact: true }));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate now', exact: true }));
    await page.getByText('A new key is published.').waitFor();
    expect(count()).toBe(3);
  });
});
