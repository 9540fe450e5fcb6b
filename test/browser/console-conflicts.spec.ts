import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  faultsIn,
  goesTo,
  opens,
  opensPart,
  ownerAtConsole,
  PASSWORD,
  type AtConsole,
} from './support/console.js';
import { useStage } from './support/stage.js';

// Two administrators who change one thing, in each kind of form of the console: the second is told, and nothing is lost. The
// first of them is the API here. Users' forms are in console-users.spec.ts, grants of projects in console-grants.spec.ts.

const stage = useStage();

/** What the second is told, once; axe finds no fault in it. */
async function isTold({ page, visitor }: AtConsole, call: RegExp): Promise<void> {
  await page.getByText('Somebody else changed this meanwhile').waitFor();
  expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(call)]);
  expect(await faultsIn(page)).toEqual([]);
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
}

interface Made {
  readonly id: string;
}

async function anApplication(kind: 'oidc' | 'api'): Promise<{ readonly path: string; readonly at: string }> {
  const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: `Pier ${kind}` });
  const { appId } = await stage().asRoot<{ appId: string }>(
    'POST',
    `management/v1/projects/${id}/apps/${kind}`,
    { name: 'Crane', ...(kind === 'oidc' && { redirectUris: ['https://crane.example/callback'] }) },
  );
  return {
    path: `management/v1/projects/${id}/apps/${appId}`,
    at: `projects/${id}/applications/${appId}`,
  };
}

interface Found {
  readonly app: { readonly name: string; readonly oidcConfig?: object; readonly apiConfig?: object };
}

describe('an application', () => {
  it('is not changed over a change of somebody else, name and settings in one go', async () => {
    const { path, at } = await anApplication('oidc');
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/${at}`);
    await opens(page, 'Crane');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Gantry');
    await opensPart(page, 'Tokens');
    await page.getByRole('checkbox', { name: 'User Info inside ID Token' }).check();
    await stage().asRoot('PUT', `${path}/oidc_config`, {
      redirectUris: ['https://crane.example/callback', 'https://crane.example/other'],
    });
    await save(page);
    await isTold(second, /^412 for .*\/oidc_config$/);
    await page.getByRole('button', { name: 'Show their change' }).click();
    // the box is ticked until their change was read: ticking it before that would do nothing
    await page.getByText('Your own input is kept.').waitFor();
    await page.getByRole('checkbox', { name: 'User Info inside ID Token' }).check();
    await opensPart(page, 'Overview');
    const other = page.getByRole('textbox', { name: 'Redirect URIs, 2', exact: true });
    await expect.poll(async () => await other.inputValue()).toBe('https://crane.example/other');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Derrick');
    await save(page);
    await page.getByText('Saved', { exact: true }).waitFor();
    await opens(page, 'Derrick');
    const { app } = await stage().asRoot<Found>('GET', path);
    expect(app).toMatchObject({
      name: 'Derrick',
      oidcConfig: {
        idTokenUserinfoAssertion: true,
        redirectUris: ['https://crane.example/callback', 'https://crane.example/other'],
      },
    });
  });

  it('whose name is refused has its settings, and takes another name', async () => {
    const { path, at } = await anApplication('api');
    const projectId = /projects\/(\w+)/.exec(path)?.[1] ?? '';
    await stage().asRoot('POST', `management/v1/projects/${projectId}/apps/api`, { name: 'Taken' });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/${at}`);
    await opens(page, 'Crane');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Taken');
    await page.getByRole('checkbox').first().check();
    await save(page);
    await expect
      .poll(() => visitor.complaints.splice(0))
      .toEqual([expect.stringMatching(/^409 for .*\/apps\/\w+$/)]);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Free');
    await save(page);
    await page.getByText('Saved', { exact: true }).waitFor();
    const { app } = await stage().asRoot<Found>('GET', path);
    expect(app).toMatchObject({ name: 'Free', apiConfig: { assertionAudienceIssuerOnly: true } });
  });
});

describe('a project', () => {
  it('keeps what is typed while an earlier change is being saved', async () => {
    const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Wharf' });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${id}`);
    await opens(page, 'Wharf');
    let goOn: (() => void) | undefined;
    await page.route(`**/management/v1/projects/${id}`, async (route) => {
      if (route.request().method() === 'PUT') {
        const held = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        await held;
      }
      await route.continue();
    });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Old wharf');
    await save(page);
    await expect.poll(() => goOn).toBeDefined();
    await name.fill('Old wharf at the river');
    goOn?.();
    await opens(page, 'Old wharf');
    await expect.poll(async () => await name.inputValue()).toBe('Old wharf at the river');
    await page.unroute(`**/management/v1/projects/${id}`);
    await save(page);
    await opens(page, 'Old wharf at the river');
    const { project } = await stage().asRoot<{ project: { name: string } }>(
      'GET',
      `management/v1/projects/${id}`,
    );
    expect(project.name).toBe('Old wharf at the river');
  });
});

describe('the change of somebody else', () => {
  it('is shown once it is read, and what is typed until then is kept', async () => {
    const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Jetty' });
    const path = `management/v1/projects/${id}`;
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/projects/${id}`);
    await opens(page, 'Jetty');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('My jetty');
    await stage().asRoot('PUT', path, { name: 'Their jetty' });
    await save(page);
    await isTold(second, /^412 for .*\/projects\/\d+$/);
    let goOn: (() => void) | undefined;
    await page.route(`**/${path}`, async (route) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Show their change' }).click();
    await expect.poll(() => goOn).toBeDefined();
    // what is on the page is still one's own
    await expect.poll(async () => await name.inputValue()).toBe('My jetty');
    // and nothing is done over what nobody has seen
    for (const button of ['Discard changes', 'Save', 'Overwrite it'])
      await expect
        .poll(async () => await page.getByRole('button', { name: button, exact: true }).isDisabled())
        .toBe(true);
    await name.fill('My long jetty');
    goOn?.();
    await expect.poll(async () => await name.inputValue()).toBe('Their jetty');
    await page.unroute(`**/${path}`);
    await page.getByRole('button', { name: 'Show mine again' }).click();
    await expect.poll(async () => await name.inputValue()).toBe('My long jetty');
    await save(page);
    await opens(page, 'My long jetty');
  });

  it('is not taken for read where it cannot be: what was typed stays, and there is another try', async () => {
    const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Mole' });
    const path = `management/v1/projects/${id}`;
    const second = await ownerAtConsole(stage());
    const { page, visitor, orgId } = second;
    await goesTo(page, `orgs/${orgId}/projects/${id}`);
    await opens(page, 'Mole');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('My mole');
    await stage().asRoot('PUT', path, { name: 'Their mole' });
    await save(page);
    await isTold(second, /^412 for .*\/projects\/\d+$/);
    const refusal = { status: 400, json: { code: 3, message: 'Not now.' } };
    await page.route(`**/${path}`, async (route) => await route.fulfill(refusal));
    const theirs = page.getByRole('button', { name: 'Show their change' });
    await theirs.click();
    // above the page, which stays, and where it was asked for
    await expect.poll(async () => await page.getByText('Not now.').count()).toBe(2);
    await expect.poll(async () => await theirs.isEnabled()).toBe(true);
    await expect.poll(async () => await name.inputValue()).toBe('My mole');
    await expect
      .poll(async () => await page.getByRole('button', { name: 'Show mine again' }).count())
      .toBe(0);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*\/projects\/\d+$/)]);
    await page.unroute(`**/${path}`);
    await theirs.click();
    await expect.poll(async () => await name.inputValue()).toBe('Their mole');
    await page.getByRole('button', { name: 'Show mine again' }).waitFor();
    await expect.poll(async () => await page.locator('#content').getByText('Not now.').count()).toBe(0);
  });
});

describe('a provider', () => {
  it('is not changed over a change of somebody else, and its password is kept nowhere', async () => {
    const relay = {
      kind: 'smtp',
      name: 'Relay',
      host: 'smtp.quay.example',
      from: 'quay@quay.example',
      user: 'quay',
      password: 'limpet',
      priority: 7,
    };
    const { id } = await stage().asRoot<Made>('POST', 'admin/v1/notification_providers', relay);
    const second = await ownerAtConsole(stage());
    const { page } = second;
    await goesTo(page, `instance/providers/${id}`);
    await opens(page, 'Relay');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('My relay');
    const password = page.locator('input[type=password]');
    await password.fill('barnacle');
    await stage().asRoot('PUT', `admin/v1/notification_providers/${id}`, { ...relay, name: 'Their relay' });
    await save(page);
    await isTold(second, /^412 for .*\/notification_providers\//);
    await page.getByRole('button', { name: 'Show their change' }).click();
    await opens(page, 'Their relay');
    const kept = async () => await page.evaluate<string>('JSON.stringify(Object.entries(sessionStorage))');
    await expect.poll(kept).toContain('My relay');
    await expect.poll(kept).not.toContain('barnacle');
    // it stays in its field, where it is typed once
    await expect.poll(async () => await password.inputValue()).toBe('barnacle');
    await page.getByRole('button', { name: 'Show mine again' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect.poll(async () => await name.inputValue()).toBe('My relay');
    await expect.poll(async () => await password.inputValue()).toBe('barnacle');
    await stage().asRoot('PUT', `admin/v1/notification_providers/${id}`, { ...relay, name: 'Relay again' });
    await save(page);
    await isTold(second, /^412 for .*\/notification_providers\//);
    await page.getByRole('button', { name: 'Show their change' }).click();
    await opens(page, 'Relay again');
    await page.getByRole('button', { name: 'Discard mine' }).click();
    await expect.poll(async () => await password.inputValue()).toBe('');
    await name.fill('My relay');
    // what is left empty is as where nobody says it: 0 would be first
    const order = page.getByRole('textbox', { name: 'Order' });
    await order.fill('');
    await save(page);
    await page.getByText('Saved', { exact: true }).waitFor();
    await opens(page, 'My relay');
    await expect.poll(async () => await order.inputValue()).toBe('100');
  });
});

describe('the texts of a message', () => {
  it('that somebody else has written meanwhile stay where all fields are emptied', async () => {
    const path = 'management/v1/templates/password_changed/en';
    await stage().asRoot('PUT', path, { subject: 'First' });
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/sign-in/texts/password_changed?language=en`);
    const subject = page.getByRole('textbox', { name: 'Subject' });
    await expect.poll(async () => await subject.inputValue()).toBe('First');
    await subject.fill('');
    await stage().asRoot('PUT', path, { subject: 'Theirs' });
    await save(page);
    await isTold(second, /^412 for .*\/templates\/password_changed\/en$/);
    await page.getByRole('button', { name: 'Show their change' }).click();
    await expect.poll(async () => await subject.inputValue()).toBe('Theirs');
    await subject.fill('');
    await save(page);
    await page.getByText('Built in', { exact: true }).waitFor();
  });
});

describe('an address that waits for its code', () => {
  it('is given up for the one that is shown, not over one that somebody else has set', async () => {
    const { userId } = await stage().importHuman({ password: PASSWORD });
    const path = `management/v1/users/${userId}/email`;
    await stage().asRoot('PUT', path, { email: 'second@post.example', isEmailVerified: false });
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/users/${userId}/contact`);
    await page.getByText('second@post.example replaces it').waitFor();
    await stage().asRoot('PUT', path, { email: 'third@post.example', isEmailVerified: true });
    await page.getByRole('button', { name: 'Keep the present address' }).click();
    await page.getByText('It was changed meanwhile').waitFor();
    expect(second.visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for .*\/email/)]);
    await page.getByText('third@post.example').waitFor();
    expect(await stage().asRoot('GET', `management/v1/users/${userId}`)).toMatchObject({
      user: { human: { email: { email: 'third@post.example', isEmailVerified: true } } },
    });
  });
});

describe('roles', () => {
  it('of a project are renamed, and not over a change of somebody else', async () => {
    const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Slipway' });
    const roles = `management/v1/projects/${id}/roles`;
    await stage().asRoot('POST', roles, { roleKey: 'caulker', displayName: 'Caulker' });
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/projects/${id}`);
    await opens(page, 'Slipway');
    await page.getByRole('button', { name: 'Change: caulker' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Display name' }).fill('Master caulker');
    await stage().asRoot('PUT', `${roles}/caulker`, { displayName: 'Shipwright', group: 'Yard' });
    await save(page);
    await isTold(second, /^412 for .*\/roles\/caulker$/);
    await dialog.getByRole('button', { name: 'Show their change' }).click();
    const group = dialog.getByRole('textbox', { name: 'Group' });
    await expect.poll(async () => await group.inputValue()).toBe('Yard');
    await dialog.getByRole('textbox', { name: 'Display name' }).fill('Master shipwright');
    await save(page);
    await page.getByText('The role is changed.').waitFor();
    await page.getByRole('cell', { name: 'Master shipwright', exact: true }).waitFor();
  });

  it('in the organization are not changed over a change of somebody else', async () => {
    const { userId, loginName } = await stage().importHuman({ password: PASSWORD });
    const member = `management/v1/orgs/me/members/${userId}`;
    await stage().asRoot('POST', 'management/v1/orgs/me/members', { userId, roles: ['ORG_OWNER_VIEWER'] });
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/members`);
    const row = page.getByRole('row', { name: new RegExp(loginName) });
    await row.getByRole('button', { name: 'Change roles: Ada Lovelace', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'User manager' }).check();
    await stage().asRoot('PUT', member, { roles: ['ORG_OWNER'] });
    await dialog.getByRole('button', { name: 'Save roles' }).click();
    await isTold(second, /^412 for .*\/members\//);
    await dialog.getByRole('button', { name: 'Show their change' }).click();
    await expect
      .poll(async () => await dialog.getByRole('checkbox', { name: 'Organization owner' }).isChecked())
      .toBe(true);
    await dialog.getByRole('button', { name: 'Show mine again' }).click();
    await dialog.getByRole('button', { name: 'Save roles' }).click();
    await row.getByRole('cell', { name: 'Organization viewer, User manager', exact: true }).waitFor();
  });

  it('in a project are changed over a change of somebody else once that is known', async () => {
    const { id: projectId } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Dock' });
    for (const roleKey of ['pilot', 'stoker'])
      await stage().asRoot('POST', `management/v1/projects/${projectId}/roles`, {
        roleKey,
        displayName: roleKey,
      });
    const { userId } = await stage().importHuman({ password: PASSWORD });
    const grants = `management/v1/users/${userId}/grants`;
    const { userGrantId } = await stage().asRoot<{ userGrantId: string }>('POST', grants, {
      projectId,
      roleKeys: ['pilot'],
    });
    const second = await ownerAtConsole(stage());
    const { page, orgId } = second;
    await goesTo(page, `orgs/${orgId}/users/${userId}/roles`);
    await opens(page, 'Ada Lovelace');
    await page.getByRole('button', { name: 'Change the roles in Dock' }).click();
    const form = page.getByRole('form', { name: 'Change the roles in Dock' });
    await form.getByRole('combobox').fill('stoker');
    await page.getByRole('option', { name: 'stoker' }).click();
    await stage().asRoot('PUT', `${grants}/${userGrantId}`, { roleKeys: [] });
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await isTold(second, /^412 for .*\/grants\//);
    await form.getByRole('button', { name: 'Overwrite it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Overwrite it' }).click();
    await page.getByText('pilot, stoker').waitFor();
    expect(await stage().asRoot('GET', `${grants}/${userGrantId}`)).toMatchObject({
      userGrant: { roleKeys: ['pilot', 'stoker'] },
    });
  });
});
