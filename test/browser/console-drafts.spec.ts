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

interface Tool {
  readonly path: string;
  readonly heading: string;
  readonly field: string;
  readonly typed: string;
  /** What the question calls it; undefined where nobody is asked, since nothing of it is ever saved. */
  readonly named?: string;
}

async function aProviderToTest(): Promise<Tool> {
  const provider = { kind: 'smtp', name: 'Semaphore', host: '127.0.0.1', from: 'pier@pier.example' };
  const { id } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/notification_providers', provider);
  const path = `instance/providers/${id}`;
  return { path, heading: 'Semaphore', field: 'E-mail address', typed: 'ada@pier.example', named: 'Test' };
}

const TOOLS: Readonly<Record<string, (orgId: string) => Promise<Tool>>> = {
  'the address for a test of a provider': aProviderToTest,
  'the time from which a webhook is told again': async (orgId) => {
    const webhook = { name: 'Foghorn', url: 'https://hooks.example.com/', eventTypes: ['project.removed'] };
    const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/webhooks', webhook);
    const path = `orgs/${orgId}/webhooks/${id}`;
    return { path, heading: 'Foghorn', field: 'Since', typed: '2026-01-31 12:00', named: 'Send again' };
  },
  'a redirect URI to check': async (orgId) => {
    const at = await anApplicationAt(orgId);
    return { ...at, field: 'Redirect URI of the request', typed: 'https://lamp.example/callback/' };
  },
  'the scopes of a preview': async (orgId) => {
    const { path, heading } = await anApplicationAt(orgId);
    return { path: `${path}/tokens`, heading, field: 'Scopes', typed: 'openid phone' };
  },
};

let made = 0;

async function anApplicationAt(orgId: string) {
  made += 1;
  const project = { name: `Quay ${made}` };
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/projects', project);
  const { appId } = await stage().asRoot<{ appId: string }>(
    'POST',
    `management/v1/projects/${id}/apps/oidc`,
    { name: 'Lamp', redirectUris: ['https://lamp.example/callback'] },
  );
  return { path: `orgs/${orgId}/projects/${id}/applications/${appId}`, heading: 'Lamp' };
}

describe('input that is for one use', () => {
  it.each(Object.entries(TOOLS))('%s is there for whoever comes back', async (_, make) => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const { path, heading, field, typed, named } = await make(orgId);
    const input = page.getByRole('textbox', { name: field });
    const dialog = page.getByRole('dialog');
    await goesTo(page, path);
    await opens(page, heading);
    await input.fill(typed);
    await place(page, 'Projects').click();
    if (named !== undefined) {
      await dialog.getByRole('listitem').getByText(named, { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Stay here' }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(async () => await input.inputValue()).toBe(typed);
      await place(page, 'Projects').click();
      await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    }
    await opens(page, 'Projects');
    await goesTo(page, path);
    await expect.poll(async () => await input.inputValue()).toBe(typed);
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('is nothing to ask about once it was used', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const { path, heading, field, typed } = await aProviderToTest();
    await goesTo(page, path);
    await opens(page, heading);
    await page.getByRole('textbox', { name: field }).fill(typed);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('It does not work yet').waitFor();
    await place(page, 'Projects').click();
    await opens(page, 'Projects');
    expect(visitor.complaints).toEqual([]);
  });
});

describe('several forms on one page', () => {
  it('are asked about once, by their names', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const { userId } = await stage().importHuman();
    await goesTo(page, `orgs/${orgId}/users/${userId}/contact`);
    await opens(page, 'Ada Lovelace');
    await page.getByRole('region', { name: 'Phone number' }).getByRole('textbox').fill('+41791234567');
    await page.getByRole('region', { name: 'E-mail address' }).getByRole('textbox').fill('ada@pier.example');
    await place(page, 'Projects').click();
    const dialog = page.getByRole('dialog');
    const named = async () => await dialog.getByRole('listitem').allTextContents();
    await expect.poll(named).toEqual(['Phone number', 'E-mail address']);
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await opens(page, 'Projects');
    await expect.poll(async () => await dialog.count()).toBe(0);
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
