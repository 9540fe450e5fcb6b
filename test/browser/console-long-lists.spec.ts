// SQL by hand: what fills more than one page is written at once, where calls would take minutes
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, opens, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// Lists that are longer than a page of them: nothing in them is out of sight, least of all a credential that still opens something.

const stage = useStage();
/** More than the service lists to whoever does not say how many. */
const MANY = 120;
const PAGE = 50;

async function asRoot<Answer>(path: string, body?: object): Promise<Answer> {
  return await stage().asRoot(body === undefined ? 'GET' : 'POST', path, body);
}

async function insert(statement: string): Promise<void> {
  await runAsAdmin(stage().database.url, statement);
}

async function aServiceUser(userName: string, name: string): Promise<string> {
  return (await asRoot<{ userId: string }>('management/v1/users/machine', { userName, name })).userId;
}

/** Has every row shown, a page at a time. */
async function expectAllShown(section: Locator, table: Locator, total: number): Promise<void> {
  const rows = table.locator('tbody > tr');
  const more = section.getByRole('button', { name: 'Show more', exact: true });
  await expect.poll(async () => await rows.count()).toBe(PAGE);
  for (let shown = PAGE; shown < total; shown += PAGE) {
    await section.getByText(`${shown} of ${total}`, { exact: true }).waitFor();
    await more.click();
    await expect.poll(async () => await rows.count()).toBe(Math.min(total, shown + PAGE));
  }
  await expect.poll(async () => await more.count()).toBe(0);
}

async function takesAway(page: Page, row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: action }).click();
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
}

describe('what a service user has', () => {
  it('its tokens are all there, and the last of them can be removed', async () => {
    const userId = await aServiceUser('token-keeper', 'Token keeper');
    await insert(`INSERT INTO personal_access_tokens (org_id, user_id, token_hash)
      SELECT u.org_id, u.id, sha256((u.id || n)::bytea) FROM users u, generate_series(1, ${MANY}) AS n WHERE u.id = '${userId}'`);
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/service-users/${userId}`);
    await opens(page, 'Token keeper');
    const name = 'Personal access tokens';
    const table = page.getByRole('table', { name });
    await expectAllShown(page.getByRole('region', { name }), table, MANY);
    // nothing is pointed at
    await page.mouse.move(0, 0);
    expect(await faultsIn(page)).toEqual([]);
    await takesAway(page, table.locator('tbody > tr').last(), 'Remove');
    await page.getByText('The token was removed.').waitFor();
    await expect.poll(async () => await table.locator('tbody > tr').count()).toBe(MANY - 1);
    const { details } = await asRoot<{ details: { totalResult: string } }>(
      `management/v1/users/${userId}/pats`,
    );
    expect(details.totalResult).toBe(String(MANY - 1));
  });

  it('its keys and its roles are', async () => {
    const userId = await aServiceUser('key-keeper', 'Key keeper');
    await insert(`INSERT INTO service_user_keys (org_id, user_id, public_jwk, expires_at)
      SELECT u.org_id, u.id, '{}', app_now() FROM users u, generate_series(1, ${MANY}) WHERE u.id = '${userId}'`);
    await insert(`WITH project AS (INSERT INTO projects (org_id, name)
        SELECT u.org_id, 'Berth ' || n FROM users u, generate_series(1, ${MANY}) AS n WHERE u.id = '${userId}' RETURNING org_id, id)
      INSERT INTO role_assignments (org_id, project_org_id, user_id, project_id) SELECT org_id, org_id, '${userId}', id FROM project`);
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/service-users/${userId}`);
    await opens(page, 'Key keeper');
    for (const name of ['Keys', 'Roles']) {
      const section = page.getByRole('region', { name, exact: true });
      await expectAllShown(section, section.getByRole('table', { name, exact: true }), MANY);
    }
    const roles = page.getByRole('table', { name: 'Roles', exact: true }).locator('tbody > tr');
    await takesAway(page, roles.last(), 'Take away');
    await expect.poll(async () => await roles.count()).toBe(MANY - 1);
  });
});

describe('what an application and an organization have', () => {
  it('keys of an application are all there', async () => {
    const { id: projectId } = await asRoot<{ id: string }>('management/v1/projects', { name: 'Keyring' });
    const { appId } = await asRoot<{ appId: string }>(`management/v1/projects/${projectId}/apps/oidc`, {
      name: 'Keyed',
      redirectUris: ['https://rp.example/callback'],
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
    });
    await insert(`INSERT INTO application_keys (org_id, application_id, public_jwk, expires_at)
      SELECT a.org_id, a.id, '{}', app_now() FROM applications a, generate_series(1, ${MANY}) WHERE a.id = '${appId}'`);
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/projects/${projectId}/applications/${appId}/sign-in`);
    await opens(page, 'Keyed');
    const section = page.getByRole('region', { name: 'Keys', exact: true });
    await expectAllShown(section, section.getByRole('table'), MANY);
  });

  it('domains and administrators are', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    const { details } = await asRoot<{ details: { totalResult: string } }>(
      'management/v1/orgs/me/domains/_search',
      {},
    );
    await insert(`INSERT INTO organization_domains (org_id, domain, validation_token)
      SELECT '${orgId}', 'quay-' || n || '.example', 'x' FROM generate_series(1, ${MANY}) AS n`);
    await goesTo(page, `orgs/${orgId}/settings`);
    await opens(page, 'Settings');
    const domains = page.getByRole('region', { name: 'Domains' });
    await expectAllShown(domains, domains.getByRole('table'), Number(details.totalResult) + MANY);

    for (let n = 0; n < PAGE; n += 1) await aServiceUser(`manager-${n}`, `Manager ${n}`);
    await insert(`INSERT INTO memberships (user_id, user_org_id, org_id, role)
      SELECT id, org_id, org_id, 'ORG_OWNER_VIEWER' FROM users WHERE user_name LIKE 'manager-%'`);
    const members = await asRoot<{ details: { totalResult: string } }>(
      'management/v1/orgs/me/members/_search',
      {},
    );
    await goesTo(page, `orgs/${orgId}/members`);
    await opens(page, 'Administrators');
    await expectAllShown(
      page.locator('#content'),
      page.getByRole('table', { name: 'Administrators' }),
      Number(members.details.totalResult),
    );
  });
});

describe('what is counted no further', () => {
  it('is said to be more than 10,000', async () => {
    const userId = await aServiceUser('mail-reader', 'Mail reader');
    await insert(`INSERT INTO notifications (org_id, user_id, channel, template, state, finished_at)
      SELECT u.org_id, u.id, 'email', 'password_changed', 'sent', app_now() FROM users u, generate_series(1, 10001)
      WHERE u.id = '${userId}'`);
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/messages?user=${userId}`);
    await opens(page, 'Messages');
    await expect
      .poll(async () => await page.locator('#content').textContent())
      .toContain('50 of more than 10,000');
  });
});

describe('a list that the service fails to answer', () => {
  it('says that nothing was changed, and comes when it is asked for again', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const failing = '**/management/v1/projects/_search';
    await page.route(failing, async (route) => {
      await route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'buoy-1' },
        json: { code: 13, message: 'Internal error', details: [] },
      });
    });
    await goesTo(page, `orgs/${orgId}/projects`);
    const alert = page.locator('#content').getByRole('alert');
    await alert.getByText('The service failed to answer. Nothing was changed').waitFor();
    await alert.getByText('Reference: buoy-1').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.unroute(failing);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Projects' }).waitFor();
    for (const complaint of visitor.complaints.splice(0)) expect(complaint).toMatch(/^500 for /);
  });
});
