import { describe, expect, it } from 'vitest';
import {
  goesTo,
  memberAtConsole,
  opens,
  ownerAtConsole,
  PASSWORD,
  settles,
  tokenOf,
} from './support/console.js';
import { useStage } from './support/stage.js';

// Nothing of another organization shows to somebody who has a role in one alone.

const stage = useStage();

/** Of the organization that they are in. */
async function countUsers(authorization: string): Promise<string> {
  const response = await fetch(`${stage().issuer}/management/v1/users/_search`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { details: { totalResult: string } }).details.totalResult;
}

describe('another organization', () => {
  it('is called by its name where an owner of the instance looks at it, who has no role in it', async () => {
    const { id } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/orgs', { name: 'Far Shore' });
    const { page } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${id}`);
    await opens(page, 'Far Shore');
    await goesTo(page, `orgs/${id}/sign-in/branding`);
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect.poll(async () => await name.getAttribute('placeholder')).toBe('Far Shore');
  });

  it('shows nowhere to an owner of this one: lists, search, counts, events, the switch, addresses', async () => {
    const { page, visitor, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    const token = await tokenOf(page);
    const before = await countUsers(token);
    const { id: other } = await stage().asRoot<{ id: string }>('POST', 'management/v1/orgs', {
      name: 'Smugglers Inc',
    });
    const { userId: stranger } = await stage().asRoot<{ userId: string }>(
      'POST',
      'management/v1/users/human/_import',
      {
        userName: 'zyzzyva',
        profile: { firstName: 'Zyzzyva', lastName: 'Weevil' },
        email: { email: 'zyzzyva@smugglers.example', isEmailVerified: true },
        password: PASSWORD,
      },
      other,
    );
    const { id: project } = await stage().asRoot<{ id: string }>(
      'POST',
      'management/v1/projects',
      { name: 'Contraband' },
      other,
    );
    const began = await fetch(`${stage().issuer}/management/v1/imports`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage().credentials.adminServiceUser.pat}`,
        'content-type': 'application/x-ndjson',
        'x-zitadel-orgid': other,
      },
      body: `${JSON.stringify({ userName: 'weevil-2', profile: { firstName: 'W', lastName: 'Two' }, email: { email: 'w2@smugglers.example' } })}\n`,
    });
    const { id: foreignImport } = (await began.json()) as { id: string };
    expect(foreignImport).toMatch(/\w/);

    const base = `orgs/${orgId}`;
    const content = page.locator('#content');

    for (const path of ['users', 'projects', 'imports', 'messages', 'events', 'webhooks', 'members']) {
      await goesTo(page, `${base}/${path}`);
      await content.locator('h1').first().waitFor();
      await settles(page);
      await expect
        .poll(async () => (await content.textContent()) ?? '')
        .not.toMatch(/zyzzyva|weevil|contraband|smugglers/i);
    }
    await goesTo(page, `${base}/users?search=zyzzyva`);
    await page.getByText('Nothing fits this search').waitFor();
    await goesTo(page, `${base}/events?id=${stranger}`);
    await page.getByText('Nothing fits this search').waitFor();

    await page.keyboard.press('/');
    await page.getByPlaceholder('Search or go to').fill('zyzzyva');
    await page.getByRole('dialog').getByText('There is no such page').waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(async () => await page.getByText('Zyzzyva Weevil').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect
      .poll(async () => await page.getByRole('button', { name: /^Switch organization/ }).count())
      .toBe(0);

    const headers = { authorization: token, 'content-type': 'application/json' };
    expect(await countUsers(token)).toBe(before);

    for (const path of [
      `management/v1/users/${stranger}`,
      `management/v1/users/${stranger}/sessions`,
      `management/v1/projects/${project}`,
      `management/v1/imports/${foreignImport}`,
      `management/v1/imports/${foreignImport}/events`,
      `management/v1/imports/${foreignImport}/results`,
    ]) {
      const response = await fetch(`${stage().issuer}/${path}`, { headers });
      expect(response.status, path).toBe(404);
      const named = await fetch(`${stage().issuer}/${path}`, {
        headers: { ...headers, 'x-zitadel-orgid': other },
      });
      expect(named.status, `${path} with the organization named`).toBe(403);
    }

    for (const path of [
      `orgs/${other}`,
      `orgs/${other}/users`,
      `orgs/${other}/projects/${project}`,
      `orgs/${other}/imports/${foreignImport}`,
      `orgs/${orgId}/users/${stranger}`,
      `orgs/${orgId}/projects/${project}`,
      `orgs/${orgId}/imports/${foreignImport}`,
    ]) {
      await goesTo(page, path);
      await content.locator('[role=alert], h1').first().waitFor();
      await settles(page);
      await expect
        .poll(async () => (await page.locator('body').textContent()) ?? '')
        .not.toMatch(/zyzzyva|weevil|contraband|smugglers/i);
    }
    for (const complaint of visitor.complaints.splice(0)) expect(complaint).toMatch(/^40[34] for /);
  });
});
