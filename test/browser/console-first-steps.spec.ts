// SQL by hand: a passkey that nobody has to make with a device
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, memberAtConsole, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// What the start page says is still to do, in an instance in which nothing sends mails yet.

const stage = useStage({ SMTP_URL: '' });

async function addPasskey(whose: string): Promise<void> {
  await runAsAdmin(
    stage().database.url,
    `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name)
     SELECT org_id, id, id::bytea, '', id::bytea, 'Laptop' FROM users WHERE id IN (${whose})`,
  );
}

/** Home, as for somebody who comes back from elsewhere. */
async function comesHome(page: Page, orgId: string): Promise<void> {
  await goesTo(page, `orgs/${orgId}/users`);
  await goesTo(page, `orgs/${orgId}`);
  await settles(page);
}

function step(page: Page, label: string) {
  return page.getByRole('region', { name: 'First steps' }).getByRole('listitem').filter({ hasText: label });
}

describe('the first steps', () => {
  it('tick themselves, each when it is done', async () => {
    const asRoot = stage().asRoot.bind(stage());
    const { id: orgId } = await asRoot<{ id: string }>('POST', 'admin/v1/orgs', { name: 'Fresh Water' });
    const inOrganization = async (path: string, body: object) =>
      await asRoot<{ id: string }>('POST', `management/v1/${path}`, body, orgId);
    const { leadTime } = await asRoot<{ leadTime: string }>('GET', 'admin/v1/keys/schedule');
    const rotates = async (rotationPeriod: string) =>
      await asRoot('PUT', 'admin/v1/keys/schedule', { rotationPeriod, leadTime });
    await rotates('0s');
    // more projects without an application than a list has at first
    for (let n = 0; n < 21; n += 1) await inOrganization('projects', { name: `Empty ${n}` });

    const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
      [
        'A first application',
        async () => {
          const { id } = await inOrganization('projects', { name: 'Aquarium' });
          for (let n = 21; n < 42; n += 1) await inOrganization('projects', { name: `Empty ${n}` });
          await inOrganization(`projects/${id}/apps/oidc`, {
            name: 'Tank',
            redirectUris: ['https://rp.example/callback'],
          });
        },
      ],
      [
        'The first users',
        async () =>
          await inOrganization('users/human/_import', {
            userName: 'otter',
            profile: { firstName: 'Olga', lastName: 'Otter' },
            email: { email: 'otter@post.example', isEmailVerified: true },
          }),
      ],
      ['Your own domain', async () => await inOrganization('orgs/me/domains', { domain: 'fresh.example' })],
      ['Signing key rotation', async () => await rotates('7776000s')],
      [
        'Mail delivery',
        async () => {
          const { id } = await asRoot<{ id: string }>('POST', 'admin/v1/notification_providers', {
            kind: 'smtp',
            name: 'Relay',
            // mails that waited until now leave by it: where it did not answer, the step would be to do again
            host: '127.0.0.1',
            port: Number(new URL(stage().mailbox.smtpUrl).port),
            tls: 'none',
            from: 'water@fresh.example',
          });
          await asRoot('POST', `admin/v1/notification_providers/${id}/_activate`);
        },
      ],
      [
        'A second factor for owners',
        async () =>
          await addPasskey(`SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.role = 'IAM_OWNER' AND u.kind = 'human'`),
      ],
    ];
    const { page } = await ownerAtConsole(stage());
    await comesHome(page, orgId);
    for (const [label] of steps)
      await expect
        .poll(async () => await step(page, label).textContent(), { message: label })
        .toMatch(/^To do/);
    expect(await faultsIn(page)).toEqual([]);
    for (const [index, [label, act]] of steps.entries()) {
      await act();
      await comesHome(page, orgId);
      const next = steps[index + 1];
      if (next === undefined) break;
      await expect
        .poll(async () => await step(page, label).textContent(), { message: label })
        .toMatch(/^Done/);
      await expect.poll(async () => await step(page, next[0]).textContent()).toMatch(/^To do/);
    }
    await page.getByText('All first steps are done.').waitFor();
  });

  it('name an owner without a second factor to whoever may see owners, to others only their own', async () => {
    const other = await memberAtConsole(stage(), 'ORG_OWNER');
    const { page, userId, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    await comesHome(page, orgId);
    const owners = step(page, 'A second factor for owners');
    const where = async () => await owners.getByRole('link').getAttribute('href');
    await addPasskey(`'${userId}'`);
    await comesHome(page, orgId);
    await expect.poll(where).toBe(`/console/orgs/${orgId}/users/${other.userId}/security`);
    await expect.poll(async () => await owners.textContent()).toContain('Ada Lovelace has none yet.');
    await addPasskey(`'${other.userId}'`);
    await comesHome(page, orgId);
    // as all others are
    await page.getByText('All first steps are done.').waitFor();

    const manager = await memberAtConsole(stage(), 'ORG_USER_MANAGER');
    await step(manager.page, 'A second factor for yourself').waitFor();
    await expect.poll(async () => await step(manager.page, 'for owners').count()).toBe(0);
    await expect.poll(async () => await step(manager.page, 'Mail delivery').count()).toBe(0);
  });
});
