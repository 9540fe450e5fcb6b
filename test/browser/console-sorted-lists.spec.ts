// SQL by hand: what fills more than one page is written at once, where calls would take minutes
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, opens, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// Lists in an order that somebody asks for: by the heads of their columns, over pages, and again at the same address.

const stage = useStage();
const MANY = 120;
const PAGE = 50;

/** People whose names go up where their addresses go down, in one organization and in another. */
async function insertPeople(orgId: string, prefix: string): Promise<void> {
  await runAsAdmin(
    stage().database.url,
    `WITH person AS (
       INSERT INTO users (org_id, kind, state, user_name)
       SELECT '${orgId}', 'human', 'active', '${prefix}-' || lpad(n::text, 3, '0') FROM generate_series(1, ${MANY}) AS n
       RETURNING id, org_id, right(user_name, 3) AS n)
     INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
     SELECT org_id, id, 'First', 'Last', '${prefix} ' || n, '${prefix}-' || (500 - n::int) || '@post.example' FROM person`,
  );
}

const head = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true });
const rows = (page: Page) => page.locator('#content table tbody > tr');

async function expectRow(page: Page, index: number, text: string): Promise<void> {
  await expect.poll(async () => await rows(page).nth(index).textContent()).toContain(text);
}

async function expectAddress(page: Page, parameters: Readonly<Record<string, string | null>>): Promise<void> {
  const asked = () =>
    Object.fromEntries(
      Object.keys(parameters).map((name) => [name, new URL(page.url()).searchParams.get(name)]),
    );
  await expect.poll(asked).toEqual(parameters);
}

describe('the users of an organization', () => {
  it('are put in order by the heads of their columns, over pages, and stay so when the page is loaded again', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await insertPeople(orgId, 'Sorted');
    const elsewhere = await stage().asRoot<{ id: string }>('POST', 'admin/v1/orgs', { name: 'Elsewhere' });
    await insertPeople(elsewhere.id, 'Sorted Foreign');
    await goesTo(page, `orgs/${orgId}/users?search=Sorted`);
    await opens(page, 'Users');
    await expect.poll(async () => await rows(page).count()).toBe(PAGE);
    await expect.poll(async () => await head(page, 'Created').getAttribute('aria-sort')).toBe('descending');

    await head(page, 'Name').getByRole('button').click();
    await expectRow(page, 0, 'Sorted 001');
    await expectAddress(page, { search: 'Sorted', sort: 'name' });
    await expect.poll(async () => await head(page, 'Name').getAttribute('aria-sort')).toBe('ascending');
    // the focus stays, and the keyboard turns the order round
    await page.keyboard.press('Enter');
    await expectRow(page, 0, 'Sorted 120');
    await expectAddress(page, { search: 'Sorted', sort: '-name' });
    await expect.poll(async () => await head(page, 'Name').getAttribute('aria-sort')).toBe('descending');

    for (const shown of [PAGE, 2 * PAGE]) {
      await page.getByText(`${shown} of ${MANY}`, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Show more', exact: true }).click();
      await expectRow(page, shown, `Sorted ${String(MANY - shown).padStart(3, '0')}`);
    }
    await expectRow(page, MANY - 1, 'Sorted 001');
    await expect.poll(async () => await rows(page).count()).toBe(MANY);
    await expect.poll(async () => await page.getByText('Foreign').count()).toBe(0);
    await page.mouse.move(0, 0);
    expect(await faultsIn(page)).toEqual([]);

    await page.reload();
    await opens(page, 'Users');
    await expectRow(page, 0, 'Sorted 120');
    await expectAddress(page, { search: 'Sorted', sort: '-name' });

    await head(page, 'E-mail address').getByRole('button').click();
    await expectRow(page, 0, 'Sorted 120');
    await expectAddress(page, { sort: 'email' });
    await head(page, 'E-mail address').getByRole('button').click();
    await expectRow(page, 0, 'Sorted 001');
    await page.getByRole('link', { name: 'Sorted 001', exact: true }).click();
    await opens(page, 'Sorted 001');
    await page.goBack();
    await opens(page, 'Users');
    await expectAddress(page, { search: 'Sorted', sort: '-email' });
    await expectRow(page, 0, 'Sorted 001');
    // and the third time, the usual order
    await head(page, 'E-mail address').getByRole('button').click();
    await expectAddress(page, { search: 'Sorted', sort: null });
  });

  it('are put in order on a phone, where most heads are out of sight', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await page.setViewportSize({ width: 390, height: 844 });
    await goesTo(page, `orgs/${orgId}/users?search=Sorted&sort=-name`);
    await opens(page, 'Users');
    await expectRow(page, 0, 'Sorted 120');
    const choice = page.getByRole('combobox', { name: 'Sort by', exact: true });
    await expect.poll(async () => await choice.inputValue()).toBe('Name, Z to A');
    await choice.click();
    await page.getByRole('option', { name: 'E-mail address, Z to A', exact: true }).click();
    await expectAddress(page, { search: 'Sorted', sort: '-email' });
    await expectRow(page, 0, 'Sorted 001');
    expect(await faultsIn(page)).toEqual([]);
  });

  it('are in the usual order where the address names one that there is not', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users?search=Sorted&sort=constructor`);
    await opens(page, 'Users');
    await expect.poll(async () => await rows(page).count()).toBe(PAGE);
    await expect.poll(async () => await head(page, 'Created').getAttribute('aria-sort')).toBe('descending');
  });
});

describe('other lists', () => {
  it('of projects are put in order and filtered by state, at an address of their own', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await runAsAdmin(
      stage().database.url,
      `INSERT INTO projects (org_id, name, state)
       SELECT '${orgId}', 'Berth ' || lpad(n::text, 3, '0'), CASE WHEN n % 2 = 0 THEN 'inactive' ELSE 'active' END
       FROM generate_series(1, ${MANY}) AS n`,
    );
    await goesTo(page, `orgs/${orgId}/projects?search=berth&state=PROJECT_STATE_INACTIVE&sort=-name`);
    await opens(page, 'Projects');
    await expectRow(page, 0, 'Berth 120');
    await expectRow(page, 1, 'Berth 118');
    await page.getByText(`${PAGE} of ${MANY / 2}`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show more', exact: true }).click();
    await expectRow(page, MANY / 2 - 1, 'Berth 002');
    await head(page, 'Name').getByRole('button').click();
    await expectAddress(page, { search: 'berth', state: 'PROJECT_STATE_INACTIVE', sort: null });
    await expectRow(page, 0, 'Berth 002');
    expect(await faultsIn(page)).toEqual([]);
  });

  it('of applications are found by name, kind and state', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/projects', { name: 'Fleet' });
    await runAsAdmin(
      stage().database.url,
      `INSERT INTO applications (org_id, project_id, client_id, name, kind, auth_method)
       SELECT '${orgId}', '${id}', 'fleet-' || n, 'Ship ' || lpad(n::text, 3, '0'), CASE WHEN n % 2 = 0 THEN 'api' ELSE 'oidc' END, 'private_key_jwt'
       FROM generate_series(1, ${MANY}) AS n`,
    );
    await goesTo(page, `orgs/${orgId}/projects/${id}?sort=-name&app=ship&app-type=APP_TYPE_API`);
    await opens(page, 'Fleet');
    const shown = page.getByRole('table', { name: 'Applications' }).locator('tbody > tr');
    await expect.poll(async () => await shown.first().textContent()).toContain('Ship 120');
    await expect.poll(async () => await shown.nth(1).textContent()).toContain('Ship 118');
    await page.getByRole('searchbox', { name: 'Search applications by name', exact: true }).fill('Ship 007');
    await page.getByText('Nothing fits this search', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters', exact: true }).click();
    await expectAddress(page, { app: null, 'app-type': null, sort: '-name' });
    await expect.poll(async () => await shown.nth(1).textContent()).toContain('Ship 119');
  });

  it('of webhooks are put in order, searched and filtered by state, at an address of their own', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await runAsAdmin(
      stage().database.url,
      `INSERT INTO webhooks (org_id, name, url, event_types, state)
       SELECT '${orgId}', 'Buoy ' || lpad(n::text, 2, '0'), 'https://buoy.example/' || n, '{project.added}', CASE WHEN n % 2 = 0 THEN 'inactive' ELSE 'active' END
       FROM generate_series(1, 60) AS n`,
    );
    await goesTo(page, `orgs/${orgId}/webhooks?search=buoy&state=STATE_INACTIVE&sort=-name`);
    await opens(page, 'Webhooks');
    await expectRow(page, 0, 'Buoy 60');
    await expectRow(page, 1, 'Buoy 58');
    await expect.poll(async () => await rows(page).count()).toBe(30);
    await head(page, 'Name').getByRole('button').click();
    await head(page, 'Name').getByRole('button').click();
    await expectAddress(page, { search: 'buoy', state: 'STATE_INACTIVE', sort: 'name' });
    await expectRow(page, 0, 'Buoy 02');
    await page.getByRole('searchbox', { name: 'Search by name', exact: true }).fill('Buoy 07');
    await page.getByText('Nothing fits this search', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters', exact: true }).click();
    await expectAddress(page, { search: null, state: null, sort: 'name' });
    await page.getByText(`${PAGE} of 60`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show more', exact: true }).click();
    await expectRow(page, 59, 'Buoy 60');
    expect(await faultsIn(page)).toEqual([]);
  });

  it.each(['keys', 'tokens'] as const)(
    'of the %s of a service user are put in order by their end, filtered, and paged',
    async (kind) => {
      const { page, orgId } = await ownerAtConsole(stage());
      const robot = { userName: `robot-${kind}`, name: `Robot of ${kind}` };
      const { userId } = await stage().asRoot<{ userId: string }>(
        'POST',
        'management/v1/users/machine',
        robot,
      );
      // the first sixty are over, the last ends last
      const ends = `now() + (n - 60.5) * interval '1 day'`;
      await runAsAdmin(
        stage().database.url,
        kind === 'keys'
          ? `INSERT INTO service_user_keys (id, org_id, user_id, public_jwk, expires_at)
             SELECT 'buoy-key-' || lpad(n::text, 3, '0'), '${orgId}', '${userId}', '{}', ${ends} FROM generate_series(1, ${MANY}) AS n`
          : `INSERT INTO personal_access_tokens (id, org_id, user_id, token_hash, expires_at)
             SELECT 'buoy-token-' || lpad(n::text, 3, '0'), '${orgId}', '${userId}', sha256(n::text::bytea), ${ends} FROM generate_series(1, ${MANY}) AS n`,
      );
      await goesTo(page, `orgs/${orgId}/service-users/${userId}`);
      await opens(page, robot.name);
      const label = kind === 'keys' ? 'Keys' : 'Personal access tokens';
      const table = page.getByRole('table', { name: label, exact: true });
      const shown = table.locator('tbody > tr');
      const textOf = async (index: number) => await shown.nth(index).textContent();
      await expect.poll(async () => await textOf(0)).toContain('buoy-');
      await table.getByRole('button', { name: 'Expires', exact: true }).click();
      await expectAddress(page, { [`sort-${kind}`]: 'expires' });
      await expect.poll(async () => await textOf(0)).toContain('-001');
      const section = page.getByRole('region', { name: label, exact: true });
      await section.getByRole('combobox', { name: 'State', exact: true }).click();
      await page.getByRole('option', { name: 'Valid', exact: true }).click();
      await expect.poll(async () => await textOf(0)).toContain('-061');
      await table.getByRole('button', { name: 'Expires', exact: true }).click();
      await expectAddress(page, { [`sort-${kind}`]: '-expires' });
      await expect.poll(async () => await textOf(0)).toContain(`-${MANY}`);
      await section.getByText(`${PAGE} of 60`, { exact: true }).waitFor();
      await section.getByRole('button', { name: 'Show more', exact: true }).click();
      await expect.poll(async () => await textOf(59)).toContain('-061');
      expect(await faultsIn(page)).toEqual([]);
      await page.reload();
      await opens(page, robot.name);
      await expect.poll(async () => await textOf(0)).toContain(`-${MANY}`);
    },
  );

  it('of administrators are filtered by role', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/members?role=ORG_OWNER`);
    await opens(page, 'Administrators');
    await expect.poll(async () => await rows(page).count()).toBeGreaterThan(0);
    await goesTo(page, `orgs/${orgId}/members?role=ORG_USER_MANAGER`);
    await page.getByText('Nothing fits this search', { exact: true }).waitFor();
  });
});
