import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { BUSY_MONTH } from './support/busy-month.js';
import { faultsIn, goesTo, opens, ownerAtConsole, PASSWORD, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// The console on a phone, in both schemes: every place of the side bar and the pages below that have more on them than it has room for.

const stage = useStage();
const PHONE = { width: 390, height: 844 };
const LONG = { firstName: 'Wilhelmina Theodora', lastName: 'von Braunschweig-Wolfenbüttel' };

interface Made {
  readonly id: string;
}

/** One of what lists and details show, with names that are long. @returns addresses of details */
async function seeded(org: string): Promise<readonly string[]> {
  const { userId } = await stage().importHuman({ password: PASSWORD, profile: LONG });
  await stage().asRoot('POST', `management/v1/users/${userId}/password/_reset`, {});
  await stage().asRoot('PUT', `management/v1/users/${userId}/metadata/department`, {
    value: Buffer.from('Research and development').toString('base64'),
  });
  // more than a phone shows at first
  for (let count = 0; count < 25; count += 1) await stage().importHuman({ profile: LONG });
  const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Lighthouse' });
  for (const roleKey of ['keeper', 'visitor', 'painter', 'pilot', 'diver', 'clerk', 'warden'])
    await stage().asRoot('POST', `management/v1/projects/${id}/roles`, { roleKey, displayName: roleKey });
  const { appId } = await stage().asRoot<{ appId: string }>(
    'POST',
    `management/v1/projects/${id}/apps/oidc`,
    {
      name: 'Lamp of the lighthouse',
      redirectUris: ['https://lamp.example/callback'],
    },
  );
  return [
    `orgs/${org}/users/${userId}`,
    `orgs/${org}/users/${userId}/metadata`,
    `orgs/${org}/users/${userId}/events`,
    `orgs/${org}/projects/${id}`,
    `orgs/${org}/projects/${id}/applications/${appId}/code`,
    `orgs/${org}/sign-in/lockout`,
    `orgs/${org}/sign-in/branding`,
    `orgs/${org}/sign-in/texts`,
    `orgs/${org}/sign-in/texts/initialise`,
    'instance/settings/texts/initialise',
  ];
}

async function placesOf(page: Page): Promise<readonly string[]> {
  const links = page.locator('.mantine-AppShell-navbar a');
  await expect.poll(async () => await links.count()).toBeGreaterThanOrEqual(15);
  const all = await links.evaluateAll((every) => every.map((link) => link.getAttribute('href') ?? ''));
  return all.map((address) => address.replace('/console/', ''));
}

/** What sticks out of a page, or out of the frame of a list, by its tag and the text in it. */
const TOO_WIDE = `[
  ...(document.documentElement.scrollWidth > innerWidth ? ['page'] : []),
  ...[...document.querySelectorAll('table.rows, table.log')]
    .filter(({ parentElement }) => parentElement.scrollWidth > parentElement.clientWidth)
    .map((table) => 'table ' + table.getAttribute('aria-label')),
]`;

/** Three screens of a phone and a bit: a project has six sections. */
const LONGEST = 2700;
const TOO_LONG = `document.documentElement.scrollHeight > ${LONGEST} ? ['too long: ' + document.documentElement.scrollHeight] : []`;

describe('on a phone', () => {
  it('nothing is wider than it or much longer, and axe finds nothing in the dark', async () => {
    await runAsAdmin(stage().database.url, ...BUSY_MONTH);
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const addresses = [...(await placesOf(page)), ...(await seeded(orgId))];
    await page.setViewportSize(PHONE);
    const faults: string[] = [];
    for (const address of addresses) {
      // colours fade from one scheme to the other: a page is looked at in the one that it came in
      await page.emulateMedia({ colorScheme: 'dark' });
      await goesTo(page, address);
      await page.locator('#content h1').first().waitFor();
      await settles(page);
      for (const what of await faultsIn(page)) faults.push(`${address}, dark: ${what}`);
      for (const what of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`${address}, dark: ${what}`);
      for (const what of await page.evaluate<string[]>(TOO_LONG)) faults.push(`${address}: ${what}`);
      await page.emulateMedia({ colorScheme: 'light' });
      for (const what of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`${address}: ${what}`);
    }
    expect(faults).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a long list on a phone', () => {
  it('goes on where more is asked for, and is whole on a wide screen', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    for (let count = 0; count < 12; count += 1) await stage().importHuman();
    const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
    const shown = async () => await rows.count();
    await page.setViewportSize(PHONE);
    await goesTo(page, `orgs/${orgId}/users?search=lovelace`);
    await expect.poll(shown).toBe(10);
    // who is not shown is not chosen either
    await page.getByRole('checkbox', { name: 'Choose all that are shown' }).first().check();
    await page.getByText('10 users chosen').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(shown).toBeGreaterThanOrEqual(12);
    await page.setViewportSize({ width: 1280, height: 800 });
    await goesTo(page, `orgs/${orgId}/users?search=lovelace`);
    await expect.poll(shown).toBeGreaterThanOrEqual(12);
  });
});

describe('on a small screen', () => {
  it('every place of the side bar is in sight, and no list is wider than its frame', async () => {
    const { page } = await ownerAtConsole(stage());
    const addresses = await placesOf(page);
    await stage().importHuman({ profile: LONG });
    await page.setViewportSize({ width: 900, height: 720 });
    const last = page.locator('.mantine-AppShell-navbar a').last();
    await expect.poll(async () => (await last.boundingBox())?.y ?? 720).toBeLessThan(720 - 30);
    const faults: string[] = [];
    for (const address of addresses) {
      await goesTo(page, address);
      await page.locator('#content h1').first().waitFor();
      await settles(page);
      for (const what of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`${address}: ${what}`);
    }
    expect(faults).toEqual([]);
  });
});

describe('a login name in the list of users', () => {
  it('may break after its marks on a phone, and is one word to whoever hears or copies it', async () => {
    const userName = 'wilhelmina-theodora-von-braunschweig-wolfenbuettel.research';
    await stage().importHuman({ userName, profile: LONG });
    const { page, orgId } = await ownerAtConsole(stage());
    await page.setViewportSize(PHONE);
    await goesTo(page, `orgs/${orgId}/users`);
    const loginName = `${userName}@lighthouse.example`;
    const name = page.getByTitle(loginName, { exact: true });
    await expect.poll(() => name.innerText()).toBe(loginName);
    await expect.poll(() => name.locator('wbr').count()).toBe(4);
    await expect.poll(() => page.evaluate<string[]>(TOO_WIDE)).toEqual([]);
  });
});

describe('the list of signing keys', () => {
  it('has a column for what can be done where something can', async () => {
    const { page } = await ownerAtConsole(stage());
    const key = (state: string) => ({
      id: state,
      details: { creationDate: '2025-12-31T00:00:00Z' },
      algorithm: 'EdDSA',
      state,
      activeSince: '2026-01-01T00:00:00Z',
    });
    let keys = [key('STATE_ACTIVE')];
    await page.route('**/admin/v1/keys?*', async (route) => {
      await route.fulfill({ json: { details: { totalResult: '1' }, result: keys } });
    });
    const head = page.getByRole('columnheader', { name: 'Actions' });
    await goesTo(page, 'instance/keys');
    await page.getByRole('cell', { name: 'EdDSA' }).waitFor();
    await expect.poll(() => head.count()).toBe(0);
    keys = [key('STATE_ACTIVE'), key('STATE_INACTIVE')];
    await page.reload();
    await head.waitFor();
  });
});

describe('the list of administrators', () => {
  it('has the names of people and service users, which lead to their pages', async () => {
    const { userId, loginName } = await stage().importHuman({ profile: LONG });
    const { userId: machine } = await stage().asRoot<{ userId: string }>(
      'POST',
      'management/v1/users/machine',
      { name: 'Tide clock', userName: 'tide-clock' },
    );
    for (const id of [userId, machine])
      await stage().asRoot('POST', 'management/v1/orgs/me/members', {
        userId: id,
        roles: ['ORG_OWNER_VIEWER'],
      });
    const { page, orgId } = await ownerAtConsole(stage());
    await page.setViewportSize(PHONE);
    await goesTo(page, `orgs/${orgId}/members`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    const person = `${LONG.firstName} ${LONG.lastName}`;
    await row(person).getByTitle(loginName, { exact: true }).waitFor();
    await row('Tide clock').getByText('service user', { exact: true }).waitFor();
    await expect.poll(() => row(person).getByText('service user').count()).toBe(0);
    await expect.poll(() => page.evaluate<string[]>(TOO_WIDE)).toEqual([]);
    await row('Tide clock').getByRole('link', { name: 'Tide clock' }).click();
    await opens(page, 'Tide clock');
    await expect
      .poll(() => new URL(page.url()).pathname)
      .toBe(`/console/orgs/${orgId}/service-users/${machine}`);
    await goesTo(page, `orgs/${orgId}/members`);
    await row(person).getByRole('link', { name: person }).click();
    await opens(page, person);
  });
});

describe('what a field has where nothing is typed', () => {
  /** Placeholders that end in a mark, with no room for their last words. */
  const CUT = `[...document.querySelectorAll('#content input[placeholder]')]
    .filter((field) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      const paper = Object.assign(document.createElement('canvas').getContext('2d'), { font });
      const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return field.value === '' && paper.measureText(field.placeholder).width > room;
    })
    .map((field) => field.placeholder)`;

  it.each(['en-GB', 'de-DE'])('is read to its end (%s)', async (locale) => {
    const { page, orgId } = await ownerAtConsole(stage(), { locale });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const address of [
        'instance/settings',
        `orgs/${orgId}/sign-in/tokens`,
        `orgs/${orgId}/sign-in/lockout`,
      ]) {
        await page.goto(`${stage().issuer}/console/${address}`);
        await page.locator('#content input[placeholder]').first().waitFor();
        await settles(page);
        const message = `${address} at ${width}`;
        await expect.poll(async () => await page.evaluate<string[]>(CUT), { message }).toEqual([]);
      }
    }
  });
});

describe('a preview', () => {
  it('has the scheme of the console until another is chosen', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await page.emulateMedia({ colorScheme: 'dark' });
    await goesTo(page, `orgs/${orgId}/sign-in/branding`);
    const scheme = (name: string) => page.getByRole('radio', { name, exact: true });
    await scheme('Dark').waitFor({ state: 'attached' });
    await expect.poll(async () => await scheme('Dark').isChecked()).toBe(true);
    await page.getByText('Light', { exact: true }).click();
    await expect.poll(async () => await scheme('Light').isChecked()).toBe(true);
  });
});

describe('the list of events', () => {
  it('calls things by their names, which lead to their pages', async () => {
    const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Harbour' });
    await stage().asRoot('POST', `management/v1/projects/${id}/apps/api`, { name: 'Tide gauge' });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/events?type=application.api.added`);
    const row = page.getByRole('row').filter({ hasText: 'Tide gauge' });
    await row.getByRole('link', { name: 'Harbour' }).filter({ visible: true }).waitFor();
    await row.getByRole('link', { name: 'Tide gauge' }).filter({ visible: true }).click();
    await opens(page, 'Tide gauge');
    // on a phone as well, where there is no column for it
    await page.setViewportSize(PHONE);
    await goesTo(page, `orgs/${orgId}/events?type=application.api.added`);
    await row.getByRole('link', { name: 'Harbour' }).filter({ visible: true }).click();
    await opens(page, 'Harbour');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/orgs/${orgId}/projects/${id}`);
  });

  it('names the organization once where an event is about it', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/events?aggregate=organization`);
    const details = page.getByRole('button', { name: /^Details of event/ });
    await details.last().click();
    const terms = page.locator('dl.facts dt');
    await terms.getByText('Change number', { exact: true }).waitFor();
    await expect.poll(async () => await terms.getByText('Organization', { exact: true }).count()).toBe(1);
  });

  it.each(['', 'instance'])('has filters that line up at every width (%s)', async (scope) => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, scope === '' ? `orgs/${orgId}/events` : 'instance/events');
    await page.locator('.filters').waitFor();
    for (const width of [390, 700, 768, 900, 1024, 1200, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      // no row ends before another one does, and none of a row is higher or lower than the others
      const rows = `[...new Set(Object.values(Object.groupBy(
        [...document.querySelectorAll('.filters > div > *')].map((field) => field.getBoundingClientRect())
          .filter((box) => box.width > 0),
        ({ top }) => top,
      )).map((row) => Math.round(row.at(0).left) + ' to ' + Math.round(row.at(-1).right)))]`;
      const found = async () => await page.evaluate<string[]>(rows);
      await expect.poll(found, { message: String(width) }).toHaveLength(1);
      await expect
        .poll(async () => await page.evaluate<string[]>(TOO_WIDE), { message: String(width) })
        .toEqual([]);
    }
  });

  it('shows no id of a user before their name, and holds its place', async () => {
    const { userId } = await stage().importHuman();
    const { page, orgId } = await ownerAtConsole(stage());
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/management/v1/users/_search', async (route) => {
      await held;
      await route.continue();
    });
    await goesTo(page, `orgs/${orgId}/events?id=${userId}`);
    const row = page.getByRole('row').filter({ hasText: 'A user was imported' });
    await row.waitFor();
    const before = await row.boundingBox();
    await expect.poll(async () => await row.textContent()).not.toContain(userId);
    goOn();
    await row.getByText('Ada Lovelace').filter({ visible: true }).first().waitFor();
    await settles(page);
    // nothing moved when they came
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(before?.height);
  });
});
