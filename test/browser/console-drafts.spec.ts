import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, keptIn, opens, ownerAtConsole, place } from './support/console.js';
import { useStage } from './support/stage.js';
import { TYPED_FORMS } from './support/typed-forms.js';

// Forms that stand beside other things, left half done.

const stage = useStage();

describe('a form on a page of other things', () => {
  it.each(TYPED_FORMS)(
    'asks before %s is left, and is as it was for whoever comes back',
    async (_, prepare) => {
      const typed = await prepare(stage());
      const { page, orgId } = await ownerAtConsole(stage());
      await goesTo(page, `orgs/${orgId}/${typed.path}`);
      await opens(page, typed.heading);
      await typed.type(page);
      await place(page, 'Events').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('What you changed on this page is not saved.').waitFor();
      expect(await faultsIn(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Stay here' }).click();
      await expect.poll(async () => await typed.field(page).inputValue()).toBe(typed.value);
      await place(page, 'Events').click();
      await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
      await opens(page, 'Events');
      await goesTo(page, `orgs/${orgId}/${typed.path}`);
      await expect.poll(async () => await typed.field(page).inputValue()).toBe(typed.value);
    },
  );
});

describe('a form beside a list', () => {
  it('stays as it is, and nobody is asked, while the list is put in another order', async () => {
    const [[, prepare]] = TYPED_FORMS;
    const typed = await prepare(stage());
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/${typed.path}`);
    await opens(page, typed.heading);
    await typed.type(page);
    await page.getByRole('columnheader', { name: 'Key' }).getByRole('button').click();
    await expect.poll(() => new URL(page.url()).searchParams.get('sort-roles')).toBe('key');
    await expect.poll(async () => await page.getByRole('dialog').count()).toBe(0);
    await expect.poll(async () => await typed.field(page).inputValue()).toBe(typed.value);
  });
});

describe('input that no draft keeps', () => {
  it.each([
    ['a dialog that was closed', 'Link an identity', /^ID at the provider/, 'ada-at-acme'],
    ['a key', 'Add a key', /^Public key of yours/, '-----BEGIN PUBLIC KEY-----'],
  ])('in %s is asked about before the page is left', async (_, add, field, typed) => {
    const isOfPerson = add !== 'Add a key';
    const { userId } = isOfPerson
      ? await stage().importHuman()
      : await stage().asRoot<{ userId: string }>('POST', 'management/v1/users/machine', {
          userName: 'for-drafts',
          name: 'Foghorn',
        });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(
      page,
      `orgs/${orgId}/${isOfPerson ? `users/${userId}/security` : `service-users/${userId}`}`,
    );
    await opens(page, isOfPerson ? 'Ada Lovelace' : 'Foghorn');
    const button = page.getByRole('button', { name: add, exact: true });
    const text = page.getByRole('form', { name: add }).getByRole('textbox', { name: field });
    await button.click();
    await text.fill(typed);
    if (isOfPerson) {
      await page.keyboard.press('Escape');
      await text.waitFor({ state: 'detached' });
    }
    await place(page, 'Events').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What you changed on this page is not saved.').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await dialog.waitFor({ state: 'detached' });
    if (isOfPerson) await button.click();
    await expect.poll(async () => await text.inputValue()).toBe(typed);
    // given up, it is nothing to ask about
    await page
      .getByRole('form', { name: add })
      .getByRole('button', { name: isOfPerson ? 'Discard changes' : 'Cancel' })
      .click();
    await text.waitFor({ state: 'detached' });
    await place(page, 'Events').click();
    await opens(page, 'Events');
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a password that was typed', () => {
  it('is not kept through a reload, which its field says, and is where one goes on', async () => {
    const typed = 'Limpet-Barnacle-9';
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const field = page.locator('input[type=password]');
    const lost = page.getByText('For safety it was not kept. Type it again.');
    const name = page.getByRole('textbox', { name: 'First name' });
    await goesTo(page, `orgs/${orgId}/users/new`);
    await opens(page, 'Add a user');
    await name.fill('Barnaby');
    await page.getByRole('textbox', { name: 'Last name' }).fill('Limpet');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('barnaby@post.example');
    await field.fill(typed);
    await expect.poll(async () => await keptIn(page)).not.toContain(typed);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await opens(page, 'Add a user');
    await lost.waitFor();
    await expect.poll(async () => await page.locator('input[type=password]:focus').count()).toBe(1);
    await expect.poll(async () => await name.inputValue()).toBe('Barnaby');
    expect(await faultsIn(page)).toEqual([]);
    await field.fill(typed);
    await expect.poll(async () => await lost.count()).toBe(0);
    await page.locator('button[type=submit]').click();
    await opens(page, 'Barnaby Limpet');
    await expect.poll(async () => await keptIn(page)).not.toContain('console.draft');
    await goesTo(page, `orgs/${orgId}/users/new`);
    await opens(page, 'Add a user');
    await expect.poll(async () => await lost.count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});
