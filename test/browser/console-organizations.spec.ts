// SQL by hand: a domain is proven, which takes a DNS of one's own
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, memberAtConsole, opens, ownerAtConsole, place } from './support/console.js';
import { useStage } from './support/stage.js';

// Organizations in the console: made, gone to by the switch in the header, and their domains proven step by step.

const stage = useStage();

interface Domains {
  readonly result: readonly {
    readonly domainName: string;
    readonly dnsRecord?: { readonly name: string; readonly value: string };
  }[];
}

describe('an organization', () => {
  it('is added, is empty, and is left by the switch for another one, on the same page', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await stage().importHuman({ profile: { firstName: 'Of', lastName: 'Lighthouse' } });
    await place(page, 'Organizations').click();
    await opens(page, 'Organizations');
    await page.getByRole('link', { name: 'Add an organization' }).click();
    await opens(page, 'Add an organization');
    await page.getByRole('textbox', { name: 'Name' }).fill('North Pier');
    await page.getByRole('textbox', { name: 'Primary domain' }).fill('pier.example');
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add an organization' }).click();
    await page.waitForURL(/\/console\/orgs\/[^/?]+$/);
    const pier = /\/orgs\/([^/?]+)/.exec(page.url())?.[1] ?? '';
    expect(pier).not.toBe(orgId);
    const change = (name: string) =>
      page.getByRole('button', { name: `Switch organization: ${name}`, exact: true });
    await change('North Pier').waitFor();

    await place(page, 'Users').click();
    await opens(page, 'Users');
    await expect.poll(() => page.locator('#content').textContent()).not.toContain('Of Lighthouse');
    await change('North Pier').click();
    await page.getByPlaceholder('Find an organization').fill('lightho');
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('option', { name: 'Lighthouse Ltd' }).click();
    await change('Lighthouse Ltd').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/orgs/${orgId}/users`);
    await page.getByText('Of Lighthouse').first().waitFor();
    // the address has it
    await page.goto(`${stage().issuer}/console/orgs/${pier}/users`);
    await change('North Pier').waitFor();
    await change('North Pier').click();
    await page.getByPlaceholder('Find an organization').fill('nobody has this name');
    await page.getByText('No organization has this name.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

it('that runs the instance has no button that would end it, nor have its own project and the console’s application', async () => {
  const { page, visitor, orgId } = await ownerAtConsole(stage());
  const own = async (path: string): Promise<string> => {
    const { result } = await stage().asRoot<{ result: { id: string; isOwn?: boolean }[] }>('POST', path, {});
    return result.find(({ isOwn }) => isOwn === true)?.id ?? '';
  };
  const ends = page.getByRole('button', { name: /^(?:Deactivate|Delete)/ });
  await goesTo(page, `orgs/${orgId}/settings`);
  await page.getByRole('button', { name: 'Make a SCIM token' }).waitFor();
  await expect.poll(async () => await ends.count()).toBe(0);
  const project = await own('management/v1/projects/_search');
  await goesTo(page, `orgs/${orgId}/projects/${project}`);
  const check = page.getByRole('checkbox', { name: 'Only users with a role may sign in' });
  await check.waitFor();
  await expect.poll(async () => await check.isDisabled()).toBe(true);
  await expect.poll(async () => await ends.count()).toBe(0);
  await expect
    .poll(async () => await page.getByRole('button', { name: 'Grant to an organization' }).count())
    .toBe(0);
  const app = await own(`management/v1/projects/${project}/apps/_search`);
  await goesTo(page, `orgs/${orgId}/projects/${project}/applications/${app}`);
  await opens(page, 'Console');
  await expect.poll(async () => await ends.count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

describe('a domain', () => {
  it('shows the record to publish, says what is missing, and becomes the primary one', async () => {
    const { page, visitor, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    await goesTo(page, `orgs/${orgId}/settings`);
    await opens(page, 'Settings');
    const section = page.getByRole('region', { name: 'Domains' });
    const domain = 'beacon.example';
    await section.getByRole('textbox', { name: 'Domain' }).fill(domain);
    await section.getByRole('button', { name: 'Add a domain' }).click();
    await page.getByText('The domain was added.').waitFor();
    const row = section.getByRole('row').filter({ hasText: domain });
    await row.getByText('Waits for its DNS record').waitFor();
    const { result } = await stage().asRoot<Domains>('POST', 'management/v1/orgs/me/domains/_search', {});
    const record = result.find(({ domainName }) => domainName === domain)?.dnsRecord;
    expect(record?.name).toBe(`_service-challenge.${domain}`);
    await expect.poll(() => row.locator('code').allTextContents()).toEqual([record?.name, record?.value]);
    await row.getByText(`Sign in at the DNS provider of ${domain}.`).waitFor();
    expect(await faultsIn(page)).toEqual([]);

    // as the service answers where the name servers of the machine know nothing of it
    const missing = `Domain is not verified: no TXT record of ${record?.name} is the token`;
    await page.route('**/_validate', async (route) => {
      await route.fulfill({ status: 400, json: { code: 3, message: `${missing} (ORG-GH3s2)` } });
    });
    await row.getByRole('button', { name: 'Check the DNS record' }).click();
    await row.getByRole('alert').getByText(`${missing}.`).waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*\/_validate$/)]);
    expect(await faultsIn(page)).toEqual([]);
    await row.getByText('Waits for its DNS record').waitFor();

    await runAsAdmin(
      stage().database.url,
      `UPDATE organization_domains SET is_verified = true, validation_token = NULL WHERE domain = '${domain}'`,
    );
    await page.reload();
    await row.getByText('Verified', { exact: true }).waitFor();
    await expect.poll(() => row.locator('code').count()).toBe(0);
    await row.getByRole('button', { name: 'Make primary' }).click();
    await page.getByRole('dialog').getByText('Login names of all users end with this domain').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Make primary' }).click();
    await row.getByText('Primary', { exact: true }).waitFor();
    const old = section.getByRole('row').filter({ hasText: 'lighthouse.example' });
    await old.getByRole('button', { name: 'Make primary' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make primary' }).click();
    await old.getByText('Primary', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(visitor.complaints).toEqual([]);
  });
});
