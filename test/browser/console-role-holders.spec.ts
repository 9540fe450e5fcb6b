// SQL by hand: what fills more than one page is written at once, where calls would take minutes
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, opens, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// Who holds roles of a project, on the page of the project; and how many lose them, before a role or the project is removed.

const stage = useStage();
const PAGE = 50;

async function projectWithRoles(name: string): Promise<string> {
  const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/projects', { name });
  for (const roleKey of ['pilot', 'stoker'])
    await stage().asRoot('POST', `management/v1/projects/${id}/roles`, { roleKey, displayName: roleKey });
  return id;
}

/** So many pilots, and the first few of them stokers too. */
async function insertCrew(projectId: string, name: string, pilots: number, stokers: number): Promise<void> {
  await runAsAdmin(
    stage().database.url,
    `WITH person AS (
       INSERT INTO users (org_id, kind, state, user_name)
       SELECT p.org_id, 'human', 'active', '${name.toLowerCase()}-' || lpad(n::text, 5, '0')
       FROM projects p, generate_series(1, ${pilots}) AS n WHERE p.id = '${projectId}' RETURNING id, org_id, user_name),
     human AS (
       INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
       SELECT org_id, id, 'F', 'L', '${name} ' || right(user_name, 5), user_name || '@post.example' FROM person)
     INSERT INTO role_assignments (org_id, user_id, project_id, project_org_id)
     SELECT org_id, id, '${projectId}', org_id FROM person`,
    `INSERT INTO role_assignment_roles (role_assignment_id, project_id, role_key)
     SELECT a.id, a.project_id, r.key FROM role_assignments a
     JOIN users u ON u.id = a.user_id JOIN project_roles r ON r.project_id = a.project_id
     WHERE a.project_id = '${projectId}' AND (r.key = 'pilot' OR right(u.user_name, 5)::int <= ${stokers})`,
  );
}

const section = (page: Page) => page.getByRole('region', { name: 'Users with roles', exact: true });
const rows = (page: Page) => section(page).locator('tbody > tr');

async function asksToRemove(page: Page, role: string): Promise<void> {
  await page
    .getByRole('table', { name: 'Roles', exact: true })
    .getByRole('row', { name: new RegExp(`^${role}`) })
    .getByRole('button', { name: 'Remove' })
    .click();
}

describe('who holds roles of a project', () => {
  it('is listed a page after the other, by role at an address, and leads to the user', async () => {
    const projectId = await projectWithRoles('Regatta');
    await insertCrew(projectId, 'Rower', 70, 7);
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}?holder-role=stoker`);
    await opens(page, 'Regatta');
    await expect.poll(async () => await rows(page).count()).toBe(7);
    await expect.poll(async () => await rows(page).getByText('pilot, stoker').count()).toBe(7);
    expect(await faultsIn(page)).toEqual([]);
    const filter = section(page).getByRole('combobox', { name: 'Role' });
    await filter.click();
    await page.getByRole('option', { name: 'pilot' }).click();
    await expect.poll(async () => await rows(page).count()).toBe(PAGE);
    await expect.poll(() => new URL(page.url()).searchParams.get('holder-role')).toBe('pilot');
    await section(page).getByText('50 of 70', { exact: true }).waitFor();
    await section(page).getByRole('button', { name: 'Show more', exact: true }).click();
    await expect.poll(async () => await rows(page).count()).toBe(70);
    await section(page).getByRole('searchbox').fill('rower 00042');
    await expect.poll(async () => await rows(page).count()).toBe(1);
    await page.mouse.move(0, 0);
    expect(await faultsIn(page)).toEqual([]);
    await rows(page).getByRole('link', { name: 'Rower 00042' }).click();
    await opens(page, 'Rower 00042');
    const roles = page.getByRole('table', { name: 'Roles', exact: true });
    await roles.getByRole('row', { name: /Regatta/ }).waitFor();
    // taken away there, it is gone here
    await roles.getByRole('button', { name: /^Take away/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take away', exact: true }).click();
    await page.getByText('The roles were removed.').waitFor();
    await goesTo(page, `orgs/${orgId}/projects/${projectId}?holder=rower+00042`);
    await section(page).getByText('Nothing fits this search').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('is nobody at first, and a service user leads to its own page', async () => {
    const projectId = await projectWithRoles('Lighter');
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    await opens(page, 'Lighter');
    await section(page).getByText('No user of this organization has roles in this project.').waitFor();
    const { userId } = await stage().asRoot<{ userId: string }>('POST', 'management/v1/users/machine', {
      userName: 'bilge-pump',
      name: 'Bilge pump',
    });
    await stage().asRoot('POST', `management/v1/users/${userId}/grants`, { projectId, roleKeys: ['stoker'] });
    await page.reload();
    await rows(page).getByRole('link', { name: 'Bilge pump' }).click();
    await opens(page, 'Bilge pump');
    await expect.poll(() => page.url()).toContain(`/service-users/${userId}`);
  });
});

describe('the question before a removal', () => {
  it('says how many have the role, and how many have any of the project', async () => {
    const projectId = await projectWithRoles('Towboat');
    await insertCrew(projectId, 'Tower', 12, 3);
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    await opens(page, 'Towboat');
    await asksToRemove(page, 'stoker');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Users of this organization who have it: 3.', { exact: true }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('textbox').fill('stoker');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The role stoker was removed.').waitFor();
    await expect.poll(async () => await rows(page).getByText('pilot, stoker').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete project' }).click();
    await dialog.getByText('Users of this organization who have roles in it: 12.', { exact: true }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
  });

  it('says no more than that there are more than 10,000', async () => {
    const projectId = await projectWithRoles('Armada');
    await insertCrew(projectId, 'Sailor', 10_001, 1);
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}`);
    await opens(page, 'Armada');
    await asksToRemove(page, 'pilot');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Users of this organization who have it: more than 10,000.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await asksToRemove(page, 'stoker');
    await dialog.getByText('Users of this organization who have it: 1.', { exact: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
