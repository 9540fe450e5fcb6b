import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, memberAtConsole, opens, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// A project that another organization may use, in the console: on the owner's side granted, changed and removed, on the other
// side found, and its roles given to a user there, changed and deactivated.

const stage = useStage();

async function asRoot<Answer>(path: string, body?: object, org = ''): Promise<Answer> {
  return await stage().asRoot(body === undefined ? 'GET' : 'POST', path, body, org);
}

interface Made {
  readonly id: string;
}

interface Grants {
  readonly result?: readonly {
    readonly grantId: string;
    readonly grantedOrgId: string;
    readonly state: string;
    readonly grantedRoleKeys?: readonly string[];
  }[];
}

async function projectWithRoles(name: string): Promise<string> {
  const { id } = await asRoot<Made>('management/v1/projects', { name });
  for (const roleKey of ['pilot', 'stoker'])
    await asRoot(`management/v1/projects/${id}/roles`, { roleKey, displayName: roleKey });
  return id;
}

async function organization(name: string): Promise<string> {
  return (await asRoot<Made>('admin/v1/orgs', { name })).id;
}

async function grantsOf(project: string): Promise<NonNullable<Grants['result']>> {
  return (await asRoot<Grants>(`management/v1/projects/${project}/grants`)).result ?? [];
}

/** Ticks or unticks a role in the dialog that is open. */
async function choose(page: Page, role: string): Promise<void> {
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Roles that they may give' });
  await field.fill(role);
  await page.getByRole('option', { name: role, exact: true }).click();
  await field.fill('');
  // closes the choices, and not the dialog
  await page.getByRole('dialog').getByRole('heading').click();
}

describe('a project grant', () => {
  it('is made, changed and removed, and axe finds no fault', async () => {
    const projectId = await projectWithRoles('Ferry');
    const other = await organization('Opposite Bank');
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    await opens(page, 'Ferry');
    const section = page.getByRole('region', { name: 'Granted to other organizations' });
    await section.getByText('Granted to nobody').waitFor();

    await section.getByRole('button', { name: 'Grant to an organization' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Organization' }).fill('opposite');
    await page.getByRole('option', { name: 'Opposite Bank' }).click();
    await choose(page, 'pilot');
    await choose(page, 'stoker');
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('The project is granted.').waitFor();
    const row = section.getByRole('row', { name: /Opposite Bank/ });
    await row.getByText('pilot, stoker').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await row.getByRole('button', { name: 'Change roles' }).click();
    await choose(page, 'stoker');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The roles are changed.').waitFor();
    await expect
      .poll(async () => await grantsOf(projectId))
      .toMatchObject([{ grantedOrgId: other, grantedRoleKeys: ['pilot'] }]);

    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('All roles in this project that the organization gave').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The grant is removed.').waitFor();
    await section.getByText('Granted to nobody').waitFor();
    expect(await grantsOf(projectId)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('loses a role that is removed from the project, which is said and typed before', async () => {
    const projectId = await projectWithRoles('Dinghy');
    const grantedOrgId = await organization('Farther Shore');
    await asRoot(`management/v1/projects/${projectId}/grants`, {
      grantedOrgId,
      roleKeys: ['pilot', 'stoker'],
    });
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    const section = page.getByRole('region', { name: 'Granted to other organizations' });
    const row = section.getByRole('row', { name: /Farther Shore/ });
    await row.getByText('pilot, stoker').waitFor();
    const roles = page.getByRole('table', { name: 'Roles', exact: true });
    await roles
      .getByRole('row', { name: /^pilot/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('also users of other organizations').waitFor();
    await dialog.getByText('Grants that contain it (1): Farther Shore.').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('textbox').fill('pilot');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The role pilot was removed.').waitFor();
    await row.getByText('stoker', { exact: true }).waitFor();
    await expect.poll(async () => await row.getByText('pilot').count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it('is not changed over a change of somebody else, and the input is kept', async () => {
    const projectId = await projectWithRoles('Barge');
    const grantedOrgId = await organization('Downstream');
    const { grantId } = await asRoot<{ readonly grantId: string }>(
      `management/v1/projects/${projectId}/grants`,
      { grantedOrgId, roleKeys: [] },
    );
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    await opens(page, 'Barge');
    await page.getByRole('button', { name: 'Change roles' }).click();
    await choose(page, 'pilot');
    await stage().asRoot('PUT', `management/v1/projects/${projectId}/grants/${grantId}`, {
      roleKeys: ['stoker'],
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody else changed this meanwhile').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for .*\/grants\//)]);
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Show their change' }).click();
    await dialog.getByText('Your own input is kept.').waitFor();
    await dialog.getByRole('button', { name: 'Show mine again' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The roles are changed.').waitFor();
    expect(await grantsOf(projectId)).toMatchObject([{ grantedRoleKeys: ['pilot'] }]);
  });

  it('is made by domain by an owner of the organization, who does not see others, and put to rest', async () => {
    const projectId = await projectWithRoles('Tug');
    const { id: other } = await asRoot<Made>('admin/v1/orgs', {
      name: 'Upstream',
      domain: 'upstream.example',
    });
    const { page, visitor, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    await opens(page, 'Tug');
    await page.getByRole('button', { name: 'Grant to an organization' }).click();
    const dialog = page.getByRole('dialog');
    const named = dialog.getByRole('textbox', { name: 'Primary domain of the organization' });
    await named.fill('stream.example');
    await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^404 for .*\/grants$/)]);
    await named.fill('upstream.example');
    await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('The project is granted.').waitFor();
    const section = page.getByRole('region', { name: 'Granted to other organizations' });
    const row = section.getByRole('row', { name: new RegExp(`Upstream.*${other}`) });
    await row.getByText('Active', { exact: true }).waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await row.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByText('have no effect').waitFor();
    await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click();
    await page.getByText('The grant is deactivated.').waitFor();
    await row.getByText('Deactivated', { exact: true }).waitFor();
    expect(await grantsOf(projectId)).toMatchObject([{ state: 'PROJECT_GRANT_STATE_INACTIVE' }]);
    expect(await faultsIn(page)).toEqual([]);
    await row.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByText('The grant works again.').waitFor();
    expect(await grantsOf(projectId)).toMatchObject([{ state: 'PROJECT_GRANT_STATE_ACTIVE' }]);
  });

  it('is found by the other organization, which gives its roles to a user', async () => {
    const projectId = await projectWithRoles('Steamer');
    const other = await organization('Far Shore');
    const { grantId } = await asRoot<{ readonly grantId: string }>(
      `management/v1/projects/${projectId}/grants`,
      { grantedOrgId: other, roleKeys: ['pilot'] },
    );
    const { userId } = await asRoot<{ readonly userId: string }>(
      'management/v1/users/machine',
      { userName: 'ferryman', name: 'Ferryman' },
      other,
    );
    const { page } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${other}/projects`);
    await opens(page, 'Projects');
    await page
      .getByRole('table', { name: 'Granted by other organizations' })
      .getByRole('row', { name: /Steamer.*pilot/ })
      .waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await goesTo(page, `orgs/${other}/service-users/${userId}`);
    await opens(page, 'Ferryman');
    await page.getByRole('combobox', { name: 'Project' }).fill('steam');
    await page.getByRole('option', { name: /^Steamer \(granted by / }).click();
    await page.getByRole('combobox', { name: 'Roles' }).click();
    await expect.poll(async () => await page.getByRole('option').allTextContents()).toEqual(['pilot']);
    await page.getByRole('option', { name: 'pilot' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Give' }).click();
    await page.getByText('The roles are given.').waitFor();
    await settles(page);
    const { result } = await asRoot<{ readonly result: readonly object[] }>(
      `management/v1/users/${userId}/grants/_search`,
      {},
      other,
    );
    expect(result).toMatchObject([{ projectId, projectGrantId: grantId, roleKeys: ['pilot'] }]);
  });

  it('has roles there that are changed among those that it granted, deactivated and reactivated', async () => {
    const projectId = await projectWithRoles('Paddle');
    await asRoot(`management/v1/projects/${projectId}/roles`, { roleKey: 'captain', displayName: 'captain' });
    const other = await organization('Down the River');
    const { grantId } = await asRoot<{ readonly grantId: string }>(
      `management/v1/projects/${projectId}/grants`,
      { grantedOrgId: other, roleKeys: ['pilot', 'stoker'] },
    );
    const { userId } = await asRoot<{ readonly userId: string }>(
      'management/v1/users/machine',
      { userName: 'rower', name: 'Rower' },
      other,
    );
    const { userGrantId } = await asRoot<{ readonly userGrantId: string }>(
      `management/v1/users/${userId}/grants`,
      { projectId, projectGrantId: grantId, roleKeys: ['pilot'] },
      other,
    );
    const given = async () =>
      (
        await asRoot<{
          readonly userGrant: { readonly state: string; readonly roleKeys: readonly string[] };
        }>(`management/v1/users/${userId}/grants/${userGrantId}`, undefined, other)
      ).userGrant;
    const { page, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${other}/service-users/${userId}`);
    await opens(page, 'Rower');
    const row = page.getByRole('table', { name: 'Roles', exact: true }).getByRole('row', { name: /Paddle/ });
    await row.getByRole('button', { name: 'Change the roles in Paddle' }).click();
    const form = page.getByRole('form', { name: 'Change the roles in Paddle' });
    await form.getByRole('combobox', { name: 'Roles' }).click();
    // what the project has beyond that is not theirs to give
    await expect
      .poll(async () => await page.getByRole('option').allTextContents())
      .toEqual(['pilot', 'stoker']);
    await page.getByRole('option', { name: 'stoker' }).click();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await row.getByRole('cell', { name: 'pilot, stoker' }).waitFor();

    await row.getByRole('button', { name: 'Deactivate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate the roles in Paddle' });
    await dialog.getByText('this account does not have these roles').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('The roles are deactivated.').waitFor();
    await row.getByText('Inactive', { exact: true }).waitFor();
    await expect
      .poll(given)
      .toMatchObject({ state: 'USER_GRANT_STATE_INACTIVE', roleKeys: ['pilot', 'stoker'] });
    expect(await faultsIn(page)).toEqual([]);
    await row.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByText('The roles are active again.').waitFor();
    await expect.poll(async () => await row.getByText('Inactive', { exact: true }).count()).toBe(0);
    await expect
      .poll(given)
      .toMatchObject({ state: 'USER_GRANT_STATE_ACTIVE', roleKeys: ['pilot', 'stoker'] });
    expect(visitor.complaints).toEqual([]);
  });
});
