import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, ownerAtConsole, place } from './support/console.js';
import { useStage } from './support/stage.js';

// A page of the console that was open while its files were replaced: those that it has not loaded yet are gone.

const stage = useStage();

/** Takes away these files of the build, and says that there is another one. */
async function isDeployed(page: Page, files: string): Promise<() => Promise<void>> {
  const gone = `**/console/assets/${files}`;
  await page.route(gone, async (route) => {
    await route.fulfill({ status: 404, body: 'Not found' });
  });
  await page.route('**/console/', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/\/main-[\w-]+\.js/, '/main-new.js'),
    });
  });
  return async () => {
    await page.unroute(gone);
    await page.unroute('**/console/');
  };
}

/** What a browser says of files that are gone is not the console's to prevent. */
function areOfParts(complaints: readonly string[]): void {
  for (const complaint of complaints)
    expect(complaint).toMatch(/^404 for .*\/assets\/|dynamically imported module/);
}

describe('a new version', () => {
  it('takes nothing from an open page but what it has not loaded, and is opened with what was typed', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await goesTo(page, `orgs/${orgId}/users/new`);
    await opens(page, 'Add a user');
    const name = page.getByRole('textbox', { name: 'First name' });
    await name.fill('Barnaby');
    const isThere = await isDeployed(page, '{command-palette,organization-choice,account-menu}-*');
    const notice = page.getByRole('alert').filter({ hasText: 'A new version of the console is available' });
    const search = page.getByRole('button', { name: 'Search or go to' });
    await search.click();
    await notice.getByText('What you typed stays.').waitFor();
    await expect.poll(async () => await name.inputValue()).toBe('Barnaby');
    for (const part of [/^Switch organization/, 'Your account'])
      await page.locator('header').getByRole('button', { name: part }).click();
    await expect.poll(async () => await notice.count()).toBe(1);
    await expect.poll(async () => await name.inputValue()).toBe('Barnaby');
    expect(await faultsIn(page)).toEqual([]);
    // a password is in no draft, which is said before it is lost
    const password = page.locator('input[type=password]');
    await password.fill('Limpet-Barnacle-9');
    await notice.getByText('Passwords and secrets are not kept').waitFor();
    await password.fill('');
    await isThere();
    await notice.getByRole('button', { name: 'Reload' }).click();
    await notice.waitFor({ state: 'detached' });
    await opens(page, 'Add a user');
    await expect.poll(async () => await name.inputValue()).toBe('Barnaby');
    expect(dialogs).toEqual([]);
    await search.click();
    await page.getByPlaceholder('Search or go to').waitFor();
    areOfParts(visitor.complaints.splice(0));
  });

  it('is told where a page is gone, which comes as soon as it is there again', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const isThere = await isDeployed(page, 'events-page-*');
    // the page is loaded anew by itself, once
    await place(page, 'Events').click();
    const notice = page.getByRole('alert').filter({ hasText: 'A new version of the console is available' });
    await page
      .locator('#content')
      .getByRole('heading', { level: 1, name: 'This could not be loaded.' })
      .waitFor();
    await notice.waitFor();
    await expect.poll(async () => await place(page, 'Users').count()).toBe(1);
    expect(await faultsIn(page)).toEqual([]);
    await isThere();
    await notice.getByRole('button', { name: 'Reload' }).click();
    await opens(page, 'Events');
    areOfParts(visitor.complaints.splice(0));
  });

  it('leaves a chosen file alone until it has arrived, and asks nothing then', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    const record = { userName: 'stowaway', profile: { firstName: 'Stow', lastName: 'Away' } };
    const buffer = Buffer.from(`${JSON.stringify({ ...record, email: { email: 'stow@away.example' } })}\n`);
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await chosen).setFiles({ name: 'hold.ndjson', mimeType: 'application/x-ndjson', buffer });
    await page.getByText('hold.ndjson').first().waitFor();

    const isThere = await isDeployed(page, '{command-palette,import-page}-*');
    const notice = page.getByRole('alert').filter({ hasText: 'A new version of the console is available' });
    await page.getByRole('button', { name: 'Search or go to' }).click();
    await notice.getByText('The file that you chose would be lost').waitFor();
    await expect.poll(async () => await notice.getByRole('button', { name: 'Reload' }).count()).toBe(0);
    // whoever gives it up may load the page anew
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await notice.getByRole('button', { name: 'Reload' }).waitFor();
    const again = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await again).setFiles({ name: 'hold.ndjson', mimeType: 'application/x-ndjson', buffer });
    await notice.getByText('The file that you chose would be lost').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await page.getByRole('button', { name: 'Import 1 record' }).click();
    // the page of the import is loaded anew by itself
    await page
      .locator('#content')
      .getByRole('heading', { level: 1, name: 'This could not be loaded.' })
      .waitFor();
    await isThere();
    await notice.getByRole('button', { name: 'Reload' }).click();
    await opens(page, 'hold.ndjson');
    expect(dialogs).toEqual([]);
    areOfParts(visitor.complaints.splice(0));
  });
});
