import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { given } from '../support/given.js';
import { goesTo, memberAtConsole, PASSWORD, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// Each role at the console: the places and buttons that this table gives it, no others, and a refusal by the server of what is
// not shown. The table is written by hand from docs/api.md ("Who may call"), not read from the program.

const stage = useStage();

const ROLES = ['IAM_OWNER', 'IAM_OWNER_VIEWER', 'ORG_OWNER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'] as const;
const WITHOUT_CONSOLE = [
  'IAM_END_USER_IMPERSONATOR',
  'IAM_ADMIN_IMPERSONATOR',
  'ORG_END_USER_IMPERSONATOR',
  'ORG_ADMIN_IMPERSONATOR',
] as const;
type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
const VIEWERS: readonly Role[] = ['IAM_OWNER', 'IAM_OWNER_VIEWER', 'ORG_OWNER', 'ORG_OWNER_VIEWER'];
const USER_WRITERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER', 'ORG_USER_MANAGER'];
const OWNERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER'];
const INSTANCE_VIEWERS: readonly Role[] = ['IAM_OWNER', 'IAM_OWNER_VIEWER'];
const ROOT: readonly Role[] = ['IAM_OWNER'];

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A page: who may open it, and what it asks the server for first. */
interface PageOf {
  readonly at: string;
  readonly seenBy: readonly Role[];
  /** Has no line in the side bar: one comes to it from another page. */
  readonly isInner?: boolean;
  readonly reads: Call;
  readonly actions: readonly Action[];
}

/** What can be done there: the button or link that is shown, and the call that it makes. */
interface Action {
  readonly name: string;
  readonly role?: 'button' | 'link';
  readonly by: readonly Role[];
  readonly call: Call;
}

const get = (path: string): Call => ({ method: 'GET', path });
const post = (path: string, body: object = {}): Call => ({ method: 'POST', path, body });
const put = (path: string, body: object): Call => ({ method: 'PUT', path, body });
const del = (path: string): Call => ({ method: 'DELETE', path });

const PROVIDER = { kind: 'google', name: 'Google', clientId: 'abc', clientSecret: 'Marker-secret' };
const WEBHOOK = { name: 'Hook', url: 'https://hooks.example.com/', eventTypes: ['*'] };

const PAGES: readonly PageOf[] = [
  { at: 'orgs/{org}', seenBy: ALL, reads: get('management/v1/orgs/me'), actions: [] },
  {
    at: 'orgs/{org}/users',
    seenBy: ALL,
    reads: post('management/v1/users/_search'),
    actions: [
      {
        name: 'Add a user',
        role: 'link',
        by: USER_WRITERS,
        call: post('management/v1/users/human', {
          profile: { firstName: 'Not', lastName: 'Added' },
          email: { email: 'not-added@post.example' },
        }),
      },
      {
        name: 'Invite',
        role: 'link',
        by: USER_WRITERS,
        call: post('management/v1/users/human', {
          profile: { firstName: 'Not', lastName: 'Invited' },
          email: { email: 'not-invited@post.example' },
        }),
      },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{user}'),
    actions: [
      { name: 'Lock', by: USER_WRITERS, call: post('management/v1/users/{user}/_lock') },
      { name: 'Delete user', by: USER_WRITERS, call: del('management/v1/users/{user}') },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}/security',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{user}/factors'),
    actions: [
      {
        name: 'Set a password',
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/password', { password: 'Not-Set-At-All-9' }),
      },
      {
        name: 'Make a passkey link',
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/passwordless/_link'),
      },
    ],
  },
  {
    at: 'orgs/{org}/service-users',
    seenBy: ALL,
    reads: post('management/v1/users/_search'),
    actions: [
      {
        name: 'Add a service user',
        role: 'link',
        by: USER_WRITERS,
        call: post('management/v1/users/machine', { userName: 'not-added', name: 'Not added' }),
      },
    ],
  },
  {
    at: 'orgs/{org}/service-users/{machine}',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{machine}'),
    actions: [
      {
        name: 'Give',
        by: USER_WRITERS,
        call: post('management/v1/users/{machine}/grants', { projectId: '{project}', roleKeys: [] }),
      },
      { name: 'Delete service user', by: USER_WRITERS, call: del('management/v1/users/{machine}') },
    ],
  },
  {
    at: 'orgs/{org}/projects',
    seenBy: ALL,
    reads: post('management/v1/projects/_search'),
    actions: [
      {
        name: 'Add a project',
        role: 'link',
        by: OWNERS,
        call: post('management/v1/projects', { name: 'Not added' }),
      },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/projects/{project}'),
    actions: [
      {
        name: 'Add an application',
        role: 'link',
        by: OWNERS,
        call: post('management/v1/projects/{project}/apps/oidc', {
          name: 'Not added',
          redirectUris: ['https://rp.test/cb'],
        }),
      },
      {
        name: 'Add role',
        by: OWNERS,
        call: post('management/v1/projects/{project}/roles', { roleKey: 'not-added', displayName: 'Not' }),
      },
      {
        name: 'Grant to an organization',
        by: OWNERS,
        call: post('management/v1/projects/{project}/grants', { grantedOrgId: '{user}', roleKeys: [] }),
      },
      { name: 'Delete project', by: OWNERS, call: del('management/v1/projects/{project}') },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    actions: [
      {
        name: 'Delete application',
        by: OWNERS,
        call: del('management/v1/projects/{project}/apps/{app}'),
      },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}/sign-in',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    actions: [
      {
        name: 'Make a new secret',
        by: OWNERS,
        call: post('management/v1/projects/{project}/apps/{app}/oidc_config/_generate_client_secret'),
      },
    ],
  },
  {
    at: 'orgs/{org}/imports',
    seenBy: OWNERS,
    reads: get('management/v1/imports'),
    actions: [
      {
        name: 'Import a file',
        role: 'link',
        by: OWNERS,
        call: post('management/v1/users/human/_import', {
          userName: 'not-imported',
          profile: { firstName: 'Not', lastName: 'Imported' },
          email: { email: 'not-imported@post.example' },
        }),
      },
    ],
  },
  {
    at: 'orgs/{org}/sign-in',
    seenBy: ALL,
    reads: get('management/v1/policies/login'),
    actions: [],
  },
  {
    at: 'orgs/{org}/sign-in/login',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/policies/login'),
    actions: [{ name: '', by: OWNERS, call: put('management/v1/policies/login', {}) }],
  },
  {
    at: 'orgs/{org}/sign-in/branding',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/policies/branding'),
    actions: [{ name: '', by: OWNERS, call: put('management/v1/policies/branding', {}) }],
  },
  {
    at: 'orgs/{org}/sign-in/providers',
    isInner: true,
    seenBy: VIEWERS,
    reads: post('management/v1/idps/_search'),
    actions: [
      { name: 'Add a provider', role: 'link', by: OWNERS, call: post('management/v1/idps', PROVIDER) },
    ],
  },
  {
    at: 'orgs/{org}/sign-in/migration',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/user_migration'),
    actions: [
      {
        name: '',
        by: OWNERS,
        call: put('management/v1/user_migration', {
          kind: 'webhook',
          url: 'https://old.example.com/',
          endsAt: new Date(Date.now() + 86_400_000).toISOString(),
        }),
      },
    ],
  },
  {
    at: 'orgs/{org}/messages',
    seenBy: VIEWERS,
    reads: post('management/v1/notifications/_search'),
    actions: [],
  },
  {
    at: 'orgs/{org}/events',
    seenBy: VIEWERS,
    reads: post('management/v1/events/_search'),
    actions: [{ name: 'Export as NDJSON', by: VIEWERS, call: post('management/v1/events/_search') }],
  },
  {
    at: 'orgs/{org}/webhooks',
    seenBy: VIEWERS,
    reads: post('management/v1/webhooks/_search'),
    actions: [
      { name: 'Add a webhook', role: 'link', by: OWNERS, call: post('management/v1/webhooks', WEBHOOK) },
    ],
  },
  {
    at: 'orgs/{org}/members',
    seenBy: VIEWERS,
    reads: post('management/v1/orgs/me/members/_search'),
    actions: [
      {
        name: 'Give somebody a role',
        by: OWNERS,
        call: post('management/v1/orgs/me/members', { userId: '{user}', roles: ['ORG_OWNER'] }),
      },
    ],
  },
  {
    at: 'orgs/{org}/settings',
    seenBy: ALL,
    reads: post('management/v1/orgs/me/domains/_search'),
    actions: [
      {
        name: 'Add a domain',
        by: OWNERS,
        call: post('management/v1/orgs/me/domains', { domain: 'not-added.example' }),
      },
      { name: 'Delete organization', by: OWNERS, call: del('management/v1/orgs/me') },
    ],
  },
  {
    at: 'instance/organizations',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/orgs/_search'),
    actions: [
      {
        name: 'Add an organization',
        role: 'link',
        by: ROOT,
        call: post('management/v1/orgs', { name: 'Not added' }),
      },
    ],
  },
  {
    at: 'instance/members',
    seenBy: ROOT,
    reads: post('admin/v1/members/_search'),
    actions: [
      {
        name: 'Give somebody a role',
        by: ROOT,
        call: post('admin/v1/members', { userId: '{user}', roles: ['IAM_OWNER'] }),
      },
    ],
  },
  {
    at: 'instance/keys',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/keys'),
    actions: [
      { name: 'Rotate now', by: ROOT, call: post('admin/v1/keys/_rotate') },
      {
        name: 'Emergency rotation',
        by: ROOT,
        call: post('admin/v1/keys/_rotate', { emergency: true, confirm: true }),
      },
    ],
  },
  {
    at: 'instance/providers',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/notification_providers'),
    actions: [
      {
        name: 'Add a provider',
        role: 'link',
        by: ROOT,
        call: post('admin/v1/notification_providers', {
          name: 'Not added',
          kind: 'smtp',
          settings: { url: 'smtp://localhost:25', from: 'not@added.example' },
        }),
      },
    ],
  },
  {
    at: 'instance/queues',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/queues'),
    actions: [],
  },
  {
    at: 'instance/settings',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/settings/oidc'),
    actions: [{ name: '', by: ROOT, call: put('admin/v1/settings/oidc', { accessTokenLifetime: '3600s' }) }],
  },
  {
    at: 'instance/settings/security',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/settings/security'),
    actions: [{ name: '', by: ROOT, call: put('admin/v1/settings/security', { enableImpersonation: true }) }],
  },
  {
    at: 'instance/settings/texts',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/templates/_search'),
    actions: [],
  },
  {
    at: 'instance/settings/texts/initialise',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/templates/initialise/en'),
    actions: [{ name: '', by: ROOT, call: put('admin/v1/templates/initialise/en', { title: 'Not said' }) }],
  },
  {
    at: 'instance/settings/identity-providers',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/idps/_search'),
    actions: [{ name: 'Add a provider', role: 'link', by: ROOT, call: post('admin/v1/idps', PROVIDER) }],
  },
  {
    at: 'instance/events',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/events/_search'),
    actions: [{ name: 'Export as NDJSON', by: INSTANCE_VIEWERS, call: post('admin/v1/events/_search') }],
  },
  {
    at: 'instance/webhooks',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/webhooks/_search'),
    actions: [{ name: 'Add a webhook', role: 'link', by: ROOT, call: post('admin/v1/webhooks', WEBHOOK) }],
  },
];

type Ids = Readonly<Record<string, string>>;

async function asRoot<Answer>(path: string, body: object, org = ''): Promise<Answer> {
  return await stage().asRoot('POST', path, body, org);
}

/** One of everything that the pages show. */
const things = given(async (): Promise<Ids> => {
  const { userId } = await stage().importHuman({ profile: { firstName: 'Looked', lastName: 'After' } });
  const { userId: machine } = await asRoot<{ userId: string }>('management/v1/users/machine', {
    userName: 'looked-after',
    name: 'Looked after',
  });
  const { id: project } = await asRoot<{ id: string }>('management/v1/projects', { name: 'Lighthouse' });
  const { appId } = await asRoot<{ appId: string }>(`management/v1/projects/${project}/apps/oidc`, {
    name: 'Lamp',
    redirectUris: ['https://lamp.example/callback'],
  });
  return { user: userId, machine, project, app: appId };
});

function filled(text: string, ids: Ids): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `{${name}}`);
}

/** Their token, as the page sends it once it is loaded again: it is kept nowhere where one could read it. */
async function tokenOf(page: Page): Promise<string> {
  let token = '';
  page.on('request', (request) => {
    token = request.headers()['authorization'] ?? token;
  });
  await page.reload();
  await page.locator('#content h1').first().waitFor();
  await expect.poll(() => token).not.toBe('');
  return token;
}

async function statusOf({ method, path, body }: Call, authorization: string, ids: Ids): Promise<number> {
  const response = await fetch(`${stage().issuer}/${filled(path, ids)}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: filled(JSON.stringify(body), ids) }),
  });
  return response.status;
}

/** Of the organization that they are in. */
async function countUsers(authorization: string): Promise<string> {
  const response = await fetch(`${stage().issuer}/management/v1/users/_search`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { details: { totalResult: string } }).details.totalResult;
}

async function placesOf(page: Page): Promise<readonly string[]> {
  return await page
    .locator('.mantine-AppShell-navbar a')
    .evaluateAll((all) => all.map((link) => (link.getAttribute('href') ?? '').replace('/console/', '')));
}

/** Whether a control is there; without a name, whether anything on the page can be typed into or chosen. */
async function isOffered(page: Page, { name, role = 'button' }: Action): Promise<boolean> {
  const content = page.locator('#content');
  const found =
    name === ''
      ? content.locator('form :is(input, textarea, select):enabled:not([readonly])')
      : content.getByRole(role, { name, exact: true });
  return (await found.count()) > 0;
}

describe.each(ROLES)('%s', (role) => {
  it('finds the places and buttons of the table, and is refused the others', async () => {
    const { page, visitor, orgId } = await memberAtConsole(stage(), role);
    const token = await tokenOf(page);
    const ids: Ids = { ...things, org: orgId };
    const at = (address: string): string => filled(address, ids);

    await expect
      .poll(async () => await placesOf(page))
      .toEqual(
        PAGES.flatMap(({ at: address, seenBy, isInner }) =>
          isInner !== true && seenBy.includes(role) ? [at(address)] : [],
        ),
      );

    const wrong: string[] = [];
    for (const { at: address, seenBy, reads, actions } of PAGES) {
      await goesTo(page, at(address));
      if (seenBy.includes(role)) {
        await page.locator('#content h1').first().waitFor();
        await settles(page);
        if ((await page.getByText('You are not allowed to do this').count()) > 0)
          wrong.push(`${address} is refused`);
      } else {
        await page.locator('#content').getByText('You are not allowed to do this').first().waitFor();
        if ((await page.locator('#content .row-link').count()) > 0) wrong.push(`${address} shows rows`);
      }
      const status = await statusOf(reads, token, ids);
      if (seenBy.includes(role) ? status !== 200 : ![403, 404].includes(status))
        wrong.push(`${reads.method} ${reads.path} answered ${status}`);
      for (const action of actions) {
        const label = `${address}: ${action.name === '' ? 'fields' : action.name}`;
        const isHis = action.by.includes(role);
        if ((await isOffered(page, action)) !== isHis)
          wrong.push(`${label} is ${isHis ? 'missing' : 'shown'}`);
        if (isHis) continue;
        const answer = await statusOf(action.call, token, ids);
        if (![403, 404].includes(answer)) wrong.push(`${label} answered ${answer} to a direct call`);
      }
    }
    expect(wrong).toEqual([]);
    // what the pages themselves asked for and were refused is what was typed into the address
    for (const complaint of visitor.complaints.splice(0)) expect(complaint).toMatch(/^40[34] for /);
  });
});

describe.each(WITHOUT_CONSOLE)('%s, a role for token exchange', (role) => {
  it('finds no place, and is refused all of it', async () => {
    const { page, visitor } = await memberAtConsole(stage(), role);
    const token = await tokenOf(page);
    await expect.poll(async () => await placesOf(page)).toEqual([]);
    for (const { reads, actions } of PAGES)
      for (const call of [reads, ...actions.map((action) => action.call)])
        expect([403, 404], `${call.method} ${call.path}`).toContain(
          await statusOf(call, token, { ...things, org: '' }),
        );
    expect(visitor.complaints).toEqual([]);
  });
});

describe('another organization', () => {
  it('shows nowhere to an owner of this one: lists, search, counts, events, the switch, addresses', async () => {
    const { page, visitor, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    const token = await tokenOf(page);
    const before = await countUsers(token);
    const { id: other } = await asRoot<{ id: string }>('management/v1/orgs', { name: 'Smugglers Inc' });
    const { userId: stranger } = await asRoot<{ userId: string }>(
      'management/v1/users/human/_import',
      {
        userName: 'zyzzyva',
        profile: { firstName: 'Zyzzyva', lastName: 'Weevil' },
        email: { email: 'zyzzyva@smugglers.example', isEmailVerified: true },
        password: PASSWORD,
      },
      other,
    );
    const { id: project } = await asRoot<{ id: string }>(
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
