// SQL by hand: what fills more than one page is written at once, where calls would take minutes
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { given } from '../support/given.js';
import { faultsIn, goesTo, opens, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// Lists in an order that somebody asks for: by the heads of their columns, over pages, and again at the same address.

const stage = useStage({ CLIENT_REGISTRATION: 'token' });
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
    await expectAddress(page, { search: 'buoy', state: 'STATE_INACTIVE', sort: null });
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

describe('while a page is still being drawn by its address', () => {
  /** Has the router draw the next page no sooner than it is told to, as on a machine with other things to do. */
  const HOLD = `(() => {
    const draw = __TSR_ROUTER__.startTransition;
    const held = new Promise((resolve) => { window.goOn = resolve; });
    __TSR_ROUTER__.startTransition = async (...given) => { await held; return await draw(...given); };
  })()`;

  it('a switch and a time are as they were put', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/events`);
    await opens(page, 'Events');
    const live = page.getByRole('switch', { name: 'Live' });
    await page.evaluate(HOLD);
    await live.click();
    await expectAddress(page, { live: 'true' });
    await expect.poll(async () => await live.isChecked()).toBe(true);
    const from = page.getByLabel('From', { exact: true });
    await from.fill('2026-01-15T10:30');
    // in UTC, as the browser's own time zone has it
    const at = new Date('2026-01-15T10:30').toISOString().replace(':00.000Z', 'Z');
    await expectAddress(page, { live: 'true', from: at });
    await expect.poll(async () => await from.inputValue()).toBe('2026-01-15T10:30');
    await page.evaluate('goOn()');
    await settles(page);
    await expect.poll(async () => await live.isChecked()).toBe(true);
    await expect.poll(async () => await from.inputValue()).toBe('2026-01-15T10:30');
  });

  it('a head that is pressed twice has turned twice', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    for (const name of ['Buoy tender', 'Buoy yard'])
      await stage().asRoot('POST', 'management/v1/projects', { name });
    await goesTo(page, `orgs/${orgId}/projects?search=buoy&sort=-name`);
    await opens(page, 'Projects');
    await expectRow(page, 0, 'Buoy yard');
    await page.evaluate(HOLD);
    for (const sort of [null, 'name']) {
      await head(page, 'Name').getByRole('button').click();
      await expectAddress(page, { search: 'buoy', sort });
    }
    await page.evaluate('goOn()');
    await expectRow(page, 0, 'Buoy tender');
  });

  it('what is typed on stays', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users`);
    await opens(page, 'Users');
    await page.evaluate(HOLD);
    const search = page.getByRole('searchbox').first();
    await search.pressSequentially('nob');
    await expectAddress(page, { search: 'nob' });
    await page.keyboard.type('od');
    await page.evaluate('goOn()');
    await page.keyboard.type('y');
    await expectAddress(page, { search: 'nobody' });
    await page.getByText('Nothing fits this search', { exact: true }).waitFor();
    await expect.poll(async () => await search.inputValue()).toBe('nobody');
  });
});

interface Part {
  readonly at: string;
  readonly heading: string;
  /** Its section and its table are called so. */
  readonly label: string;
  readonly fill: string;
  /** The head of a column, the address's word for its order, and what comes first upward and downward. */
  readonly head: string;
  readonly parameter: string;
  readonly word: string;
  readonly first: string;
  readonly last: string;
  /** Of the field that narrows it to one of them. */
  readonly search?: { readonly label: string; readonly parameter: string; readonly text: string };
}

const number = `lpad(n::text, 3, '0')`;
/** In SQL: the project and the user that the tests below make, in the organization of the instance. */
const PROJECT = `(SELECT id FROM projects WHERE name = 'Harbour')`;
const USER = `(SELECT id FROM users WHERE user_name = 'sorted-parts')`;
const ORG = `(SELECT org_id FROM projects WHERE name = 'Harbour')`;
const PARTS: readonly Part[] = [
  {
    at: 'settings',
    heading: 'Settings',
    label: 'Domains',
    fill: `INSERT INTO organization_domains (org_id, domain) SELECT ${ORG}, 'a' || ${number} || '.buoy.example' FROM generate_series(1, ${MANY}) AS n`,
    head: 'Domain',
    parameter: 'sort-domains',
    word: 'name',
    first: 'a001.buoy.example',
    // the organization has one of its own
    last: '',
    search: { label: 'Search domains', parameter: 'domain', text: 'a077' },
  },
  {
    at: 'settings',
    heading: 'Settings',
    label: 'Provisioning by SCIM',
    fill: `INSERT INTO scim_tokens (org_id, name, token_hash) SELECT ${ORG}, 'Buoy ' || ${number}, sha256(n::text::bytea) FROM generate_series(1, ${MANY}) AS n`,
    head: 'Name',
    parameter: 'sort-scim-tokens',
    word: 'name',
    first: 'Buoy 001',
    last: `Buoy ${MANY}`,
    search: { label: 'Search tokens by name', parameter: 'scim-tokens', text: 'buoy 077' },
  },
  {
    at: 'settings',
    heading: 'Settings',
    label: 'Applications that register themselves',
    fill: `INSERT INTO initial_access_tokens (org_id, project_id, name, token_hash, most_uses, expires_at)
      SELECT ${ORG}, ${PROJECT}, 'Pier ' || ${number}, sha256(('r' || n)::bytea), 1, now() + n * interval '1 day' FROM generate_series(1, ${MANY}) AS n`,
    head: 'Expires',
    parameter: 'sort-initial-access-tokens',
    word: 'expires',
    first: 'Pier 001',
    last: `Pier ${MANY}`,
    search: { label: 'Search tokens by name', parameter: 'initial-access-tokens', text: 'PIER 077' },
  },
  {
    at: 'projects/{project}',
    heading: 'Harbour',
    label: 'Granted to other organizations',
    fill: `WITH other AS (INSERT INTO organizations (name) SELECT 'Pilot ' || ${number} FROM generate_series(1, ${MANY}) AS n RETURNING id)
      INSERT INTO project_grants (org_id, project_id, granted_org_id) SELECT ${ORG}, ${PROJECT}, id FROM other`,
    head: 'Organization',
    parameter: 'sort-grants',
    word: 'organization',
    first: 'Pilot 001',
    last: `Pilot ${MANY}`,
    search: { label: 'Search organizations', parameter: 'grant', text: 'pilot 077' },
  },
  {
    at: 'projects/{project}',
    heading: 'Harbour',
    label: 'Users with roles',
    fill: `WITH person AS (
        INSERT INTO users (org_id, kind, state, user_name)
        SELECT ${ORG}, 'human', 'active', 'diver-' || ${number} FROM generate_series(1, ${MANY}) AS n RETURNING id, org_id, user_name),
      human AS (
        INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
        SELECT org_id, id, 'F', 'L', 'Diver ' || right(user_name, 3), user_name || '@post.example' FROM person)
      INSERT INTO role_assignments (org_id, user_id, project_id, project_org_id) SELECT org_id, id, ${PROJECT}, org_id FROM person`,
    head: 'User',
    parameter: 'sort-holders',
    word: 'name',
    first: 'Diver 001',
    last: `Diver ${MANY}`,
    search: { label: 'Search users by name', parameter: 'holder', text: 'diver 077' },
  },
  {
    at: 'users/{user}/roles',
    heading: 'Sorted Parts',
    label: 'Roles',
    fill: `WITH project AS (INSERT INTO projects (org_id, name) SELECT ${ORG}, 'Wharf ' || ${number} FROM generate_series(1, ${MANY}) AS n RETURNING id, org_id)
      INSERT INTO role_assignments (org_id, user_id, project_id, project_org_id) SELECT org_id, ${USER}, id, org_id FROM project`,
    head: 'Project',
    parameter: 'sort-grants',
    word: 'project',
    first: 'Wharf 001',
    last: `Wharf ${MANY}`,
    search: { label: 'Search by project', parameter: 'grant', text: 'wharf 077' },
  },
  {
    at: 'users/{user}/security',
    heading: 'Sorted Parts',
    label: 'Second factors',
    fill: `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name)
      SELECT ${ORG}, ${USER}, ('cred' || n)::bytea, 'key', 'handle', 'Limpet ' || ${number} FROM generate_series(1, 9) AS n`,
    head: 'Factor',
    parameter: 'sort-factors',
    word: 'kind',
    first: 'Limpet 001',
    last: 'Limpet 009',
  },
  {
    at: 'users/{user}/metadata',
    heading: 'Sorted Parts',
    label: 'Metadata',
    fill: `INSERT INTO user_metadata (org_id, user_id, key, value)
      SELECT ${ORG}, ${USER}, 'rope.' || ${number}, 'x' FROM generate_series(1, ${MANY}) AS n`,
    head: 'Key',
    parameter: 'sort',
    word: 'key',
    first: 'rope.001',
    last: `rope.${MANY}`,
    search: { label: 'Keys that begin with', parameter: 'search', text: 'rope.07' },
  },
];

describe('lists that are a part of a page', () => {
  const things = given(async () => {
    const project = await stage().asRoot<{ id: string }>('POST', 'management/v1/projects', {
      name: 'Harbour',
    });
    const { userId } = await stage().asRoot<{ userId: string }>('POST', 'management/v1/users/human', {
      userName: 'sorted-parts',
      profile: { firstName: 'Sorted', lastName: 'Parts' },
      email: { email: 'sorted-parts@post.example', isEmailVerified: true },
    });
    return { project: project.id, user: userId };
  });

  it.each(PARTS)(
    '$label: put in order by $head, searched, and the same at the same address',
    async ({ at, heading, label, fill, head: name, parameter, word, first, last, search }) => {
      const { page, orgId } = await ownerAtConsole(stage());
      await runAsAdmin(stage().database.url, fill);
      const place = at.replace('{project}', things.project).replace('{user}', things.user);
      const table = page.getByRole('table', { name: label, exact: true });
      const rowsOfTable = table.locator('tbody > tr');
      const firstIs = async (text: string) =>
        await expect.poll(async () => await rowsOfTable.first().textContent()).toContain(text);
      const button = table.getByRole('columnheader', { name, exact: true }).getByRole('button');

      // as an address that somebody was sent
      await goesTo(page, `orgs/${orgId}/${place}?${parameter}=-${word}`);
      await opens(page, heading);
      await firstIs(last);
      await expect
        .poll(
          async () => await table.getByRole('columnheader', { name, exact: true }).getAttribute('aria-sort'),
        )
        .toBe('descending');
      // back to the usual order, and from there upward
      await button.click();
      await expectAddress(page, { [parameter]: null });
      if (word !== 'key') {
        await button.click();
        await expectAddress(page, { [parameter]: word });
      }
      await firstIs(first);
      if (search !== undefined) {
        const section = page.locator('#content section, #content').filter({ has: table }).last();
        await section.getByRole('searchbox', { name: search.label, exact: true }).fill(search.text);
        await expectAddress(page, { [search.parameter]: search.text });
        await expect.poll(async () => await rowsOfTable.count()).toBeLessThanOrEqual(10);
        await expect
          .poll(async () => (await rowsOfTable.first().textContent())?.toLowerCase())
          .toContain(search.text.toLowerCase());
      }
      await page.mouse.move(0, 0);
      expect(await faultsIn(page)).toEqual([]);
    },
  );
});

describe('what became of many at once', () => {
  it('is put in order for users whom an action failed for, and found by name', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    const { userId } = await stage().importHuman();
    const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/users/_bulk', {
      action: 'unlock',
      userIds: [userId],
    });
    await runAsAdmin(
      stage().database.url,
      `WITH person AS (
         INSERT INTO users (org_id, kind, state, user_name)
         SELECT '${orgId}', 'human', 'active', 'refused-' || lpad(n::text, 3, '0') FROM generate_series(1, ${MANY}) AS n
         RETURNING id, org_id, user_name),
       human AS (
         INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
         SELECT org_id, id, 'F', 'L', 'Refused ' || right(user_name, 3), user_name || '@post.example' FROM person)
       INSERT INTO bulk_action_users (bulk_action_id, user_id, outcome, reason) SELECT '${id}', id, 'failed', 'User is not locked' FROM person`,
    );
    await goesTo(page, `orgs/${orgId}/users?bulk=${id}&failure=refused&sort-failures=name`);
    await opens(page, 'Users');
    const failed = page.getByRole('table', { name: 'Refused for' }).locator('tbody > tr');
    await expect.poll(async () => await failed.first().textContent()).toContain('Refused 001');
    await page.getByRole('columnheader', { name: 'Refused for', exact: true }).getByRole('button').click();
    await expect.poll(async () => await failed.first().textContent()).toContain('Refused 120');
    await expectAddress(page, { 'sort-failures': '-name', failure: 'refused' });
    await page.getByRole('searchbox', { name: 'Search these names' }).fill('refused 077');
    await expect.poll(async () => await failed.count()).toBe(1);
    await expectAddress(page, { failure: 'refused 077' });
    expect(await faultsIn(page)).toEqual([]);
  });

  it('is put in order for the records of an import', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    const answer = await fetch(`${stage().issuer}/management/v1/imports?format=ndjson`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage().credentials.adminServiceUser.pat}`,
        'content-type': 'application/octet-stream',
      },
      body: '{"userName":"x"}\n'.repeat(MANY),
    });
    const { id } = (await answer.json()) as { id: string };
    await goesTo(page, `orgs/${orgId}/imports/${id}`);
    const records = page.getByRole('table', { name: 'Records' }).locator('tbody > tr');
    await expect.poll(async () => await records.count()).toBe(PAGE);
    await expect.poll(async () => await records.first().textContent()).toMatch(/^1\D/);
    await page.getByRole('columnheader', { name: 'Line', exact: true }).getByRole('button').click();
    await expect.poll(async () => await records.first().textContent()).toMatch(/^120\D/);
    await expectAddress(page, { sort: '-line' });
    await page.getByRole('button', { name: 'Show more', exact: true }).click();
    await expect.poll(async () => await records.count()).toBe(2 * PAGE);
    await page.getByText(`${2 * PAGE} of ${MANY}`, { exact: true }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.reload();
    await expect.poll(async () => await records.first().textContent()).toMatch(/^120\D/);
  });
});
