import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, ownerAtConsole, PASSWORD, settles } from './support/console.js';
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
  const { id } = await stage().asRoot<Made>('POST', 'management/v1/projects', { name: 'Lighthouse' });
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
    `orgs/${org}/sign-in/texts/initialise`,
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
  ...[...document.querySelectorAll('table.rows')]
    .filter(({ parentElement }) => parentElement.scrollWidth > parentElement.clientWidth)
    .map((table) => 'table ' + table.getAttribute('aria-label')),
]`;

describe('on a phone', () => {
  it('nothing is wider than it, and axe finds nothing in the dark', async () => {
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
      await page.emulateMedia({ colorScheme: 'light' });
      for (const what of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`${address}: ${what}`);
    }
    expect(faults).toEqual([]);
    expect(visitor.complaints).toEqual([]);
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
    await row.getByText('Ada Lovelace').first().waitFor();
    await settles(page);
    // nothing moved when they came
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(before?.height);
  });
});
