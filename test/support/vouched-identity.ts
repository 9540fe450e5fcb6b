import { expect } from 'vitest';
import type { OrgId } from '../../src/domain/shared/ids.js';
import { RequestPasswordReset } from '../../src/domain/sign-in/request-password-reset.js';
import { ResolveLoginName } from '../../src/domain/sign-in/resolve-login-name.js';
import type { SignInPlace } from '../../src/domain/sign-in/sign-in-names.store.js';
import type { TestApi } from './api.js';
import { call } from './calls.js';
import type { Draw } from './draw.js';
import { HASH } from './human-records.js';
import { collectMails } from './mailbox.js';
import { aServiceUser, type ServiceUser } from './service-users.js';
import { aUser, type TestUser } from './users.js';
import { anOrganization, type World } from './world.js';

/** Organizations whose members do whatever they like to the addresses of each other's users. */
interface Scene {
  readonly api: TestApi;
  readonly draw: Draw;
  readonly worlds: readonly World[];
  readonly owners: ReadonlyMap<World, ServiceUser>;
  readonly instanceOwner: ServiceUser;
  readonly domains: readonly string[];
  readonly addresses: readonly string[];
  /** Who has proven which address, in which organization. */
  readonly victims: readonly { readonly world: World; readonly user: TestUser; readonly address: string }[];
  /** Users that members of the organizations made, to be renamed and given addresses. */
  readonly puppets: { readonly world: World; readonly userId: string }[];
  count: number;
}

/**
 * Looks for a way to get at somebody by an address: draws organizations, people who have proven addresses, and what
 * members of other organizations do; after each act every typed address must mean what it meant to who has proven it,
 * in an application of their own organization, and nobody by an address who may not be meant by it.
 */
export async function lookForTakeover(api: TestApi, draw: Draw, acts: number): Promise<void> {
  const scene = await setScene(api, draw);
  for (let act = 0; act < acts; act += 1) {
    const what = await doSomething(scene);
    await expectOwnersMeant(scene, `act ${act}: ${what}`);
    await expectNobodyElseMeant(scene, `act ${act}: ${what}`);
    if (act % 20 === 19) await expectMailsToOwners(scene, `act ${act}`);
  }
}

async function setScene(api: TestApi, draw: Draw): Promise<Scene> {
  const worlds: World[] = [];
  for (let left = draw.int(3, 5); left > 0; left -= 1) worlds.push(await anOrganization(api));
  const owners = new Map<World, ServiceUser>();
  for (const world of worlds) owners.set(world, await aServiceUser(world, 'ORG_OWNER'));
  const instanceOwner = await aServiceUser(draw.pick(worlds), 'IAM_OWNER');
  const tag = draw.int(0, 2 ** 31).toString(36);
  const domains = [`mail-${tag}.test`, `firm-${tag}.test`, `bücher-${tag}.test`, draw.pick(worlds).domain];
  const addresses = domains.flatMap((domain) => ['ada', 'bob'].map((name) => `${name}-${tag}@${domain}`));
  const victims: Scene['victims'][number][] = [];
  for (const address of addresses) {
    const world = draw.pick(worlds);
    const email = { address, verified: true };
    victims.push({ world, address, user: await aUser(world, { email, proven: true }) });
  }
  const puppets: Scene['puppets'] = [];
  for (const world of worlds) puppets.push({ world, userId: (await aUser(world)).userId });
  return { api, draw, worlds, owners, instanceOwner, domains, addresses, victims, puppets, count: 0 };
}

/** One act of an owner of one organization, or of an instance owner for it; whether it is refused is all the same. */
async function doSomething(scene: Scene): Promise<string> {
  const { api, draw, worlds, owners, instanceOwner } = scene;
  const world = draw.pick(worlds);
  const pat = owners.get(world)?.pat;
  const address = spelled(draw, draw.pick(scene.addresses));
  const name = draw.pick([address, address.split('@')[0] ?? '', draw.pick(scene.victims).user.loginName]);
  const puppet = draw.pick(scene.puppets.filter((candidate) => candidate.world === world));
  const domain = draw.pick(scene.domains);
  const inOrganization = { pat: instanceOwner.pat, headers: { 'x-zitadel-orgid': world.orgId } };
  scene.count += 1;
  switch (draw.int(0, 8)) {
    case 0:
    case 1: {
      const userName = draw.bool() ? name : `extra-${scene.count}`;
      const body = {
        userName,
        profile: { firstName: 'Eve', lastName: 'Else' },
        email: { email: address, isEmailVerified: draw.bool(0.8) },
        hashedPassword: { value: HASH },
      };
      const answer = await call(api, 'POST', 'users/human/_import', { pat, body });
      const { userId } = answer.json<{ userId?: string }>();
      if (userId !== undefined) scene.puppets.push({ world, userId });
      return `import of ${userName} with ${address} into ${world.domain}: ${answer.statusCode}`;
    }
    case 2:
    case 3: {
      const body = { email: address, isEmailVerified: draw.bool(0.8) };
      const answer = await call(api, 'PUT', `users/${puppet.userId}/email`, { pat, body });
      return `${address} for ${puppet.userId} of ${world.domain}: ${answer.statusCode}`;
    }
    case 4: {
      const body = { userName: name };
      const answer = await call(api, 'PUT', `users/${puppet.userId}/username`, { pat, body });
      return `${name} for ${puppet.userId} of ${world.domain}: ${answer.statusCode}`;
    }
    case 5: {
      const answer = await call(api, 'POST', 'orgs/me/domains', { ...inOrganization, body: { domain } });
      return `${domain} for ${world.domain}: ${answer.statusCode}`;
    }
    case 6: {
      const path = `orgs/me/domains/${domain}/_set_primary`;
      const answer = await call(api, 'POST', path, { ...inOrganization, body: {} });
      return `${domain} first of ${world.domain}: ${answer.statusCode}`;
    }
    case 7: {
      const answer = await call(api, 'DELETE', `orgs/me/domains/${domain}`, inOrganization);
      return `${domain} no longer of ${world.domain}: ${answer.statusCode}`;
    }
    default: {
      const body = { userName: name, name: 'Machine' };
      const answer = await call(api, 'POST', 'users/machine', { pat, body });
      return `service user ${name} of ${world.domain}: ${answer.statusCode}`;
    }
  }
}

/** What members of their own organization do is that organization's business, so those victims are left out. */
async function expectOwnersMeant(scene: Scene, after: string): Promise<void> {
  const resolver = scene.api.app.get(ResolveLoginName);
  for (const { world, user, address } of scene.victims) {
    if (await ownOrganizationInterferes(scene, world, user, address)) continue;
    const meant = await resolver.resolve(spelled(scene.draw, address), { application: world.orgId });
    expect(meant?.userId, `${address} in ${world.domain} after ${after}`).toBe(user.userId);
  }
}

/** Another of their own organization has it as user name or full login name, or its owner lost it there. */
async function ownOrganizationInterferes(
  { api }: Scene,
  world: World,
  user: TestUser,
  address: string,
): Promise<boolean> {
  const { rows } = await api.sql.query<{ mine: boolean }>(
    `SELECT i.user_id = $2 AND i.kind = 'email' AS mine FROM login_identifiers i
     LEFT JOIN organization_domains d ON d.org_id = i.org_id AND d.is_primary
     WHERE i.org_id = $1 AND (i.canonical = $3 OR i.kind = 'user_name' AND i.canonical || '@' || d.domain = $4)`,
    [world.orgId, user.userId, address.toLowerCase(), inAscii(address)],
  );
  return rows.length !== 1 || rows[0]?.mine !== true;
}

/** By an address only who has proven it, is vouched for below a verified domain, or is at home where it is typed. */
async function expectNobodyElseMeant(scene: Scene, after: string): Promise<void> {
  const { api, draw, worlds, addresses } = scene;
  const address = draw.pick(addresses);
  const place: SignInPlace = draw.pick([{ application: draw.pick(worlds).orgId }, { ownPages: true }, {}]);
  const meant = await api.app.get(ResolveLoginName).resolve(spelled(draw, address), place);
  if (meant === undefined) return;
  expect(await mayBeMeant(scene, address, meant.userId, place), `${address} after ${after}`).toBe(true);
}

async function mayBeMeant(
  { api }: Scene,
  address: string,
  userId: string,
  { application, ownPages }: SignInPlace,
): Promise<boolean> {
  const { rows } = await api.sql.query<{
    org_id: OrgId;
    login_name: string;
    home: OrgId;
    proven: boolean;
    covered: boolean;
  }>(
    `SELECT u.org_id, lower(btrim(normalize(u.user_name, NFKC))) || '@' || p.domain AS login_name,
       (SELECT default_org_id FROM instance) AS home, coalesce(i.proven, false) AS proven,
       EXISTS (SELECT FROM organization_domains d WHERE d.org_id = u.org_id AND d.is_verified AND d.domain = $3)
         AND i.user_id IS NOT NULL AS covered
     FROM users u
     LEFT JOIN organization_domains p ON p.org_id = u.org_id AND p.is_primary
     LEFT JOIN login_identifiers i ON i.user_id = u.id AND i.kind = 'email' AND i.canonical = $2
     WHERE u.id = $1`,
    [userId, address.toLowerCase(), inAscii(address).split('@')[1]],
  );
  const [row] = rows;
  if (row === undefined) return false;
  return (
    row.proven ||
    row.covered ||
    row.login_name === inAscii(address) ||
    row.org_id === (ownPages === true ? row.home : application)
  );
}

/** Mails that a typed address causes go to that address, or, for who is meant by name, to where that user is reached. */
async function expectMailsToOwners(scene: Scene, after: string): Promise<void> {
  const { api, draw, worlds, addresses } = scene;
  await collectMails(api);
  const address = draw.pick(addresses);
  const place: SignInPlace = { application: draw.pick(worlds).orgId };
  const meant = await api.app.get(ResolveLoginName).resolve(address, place);
  await api.app.get(RequestPasswordReset).execute({ loginName: address, place, source: '192.0.2.1' });
  const { rows } = await api.sql.query<{ email: string }>(
    'SELECT email FROM user_humans WHERE user_id = $1',
    [meant?.userId ?? ''],
  );
  for (const { to } of await collectMails(api)) {
    const expected = meant === undefined ? address : rows[0]?.email;
    expect(to.toLowerCase(), `mail for ${address} after ${after}`).toBe(expected?.toLowerCase());
  }
  await api.advance(61);
}

function spelled(draw: Draw, name: string): string {
  return draw.pick([name, name, name.toUpperCase(), ` ${name}`, name.replace('a', 'ａ')]);
}

function inAscii(address: string): string {
  const [local = '', domain = ''] = address.toLowerCase().split('@');
  return `${local}@${new URL(`http://${domain}`).hostname}`;
}
