import type { UserId } from '../../src/domain/shared/ids.js';
import type { TestApi } from './api.js';
import { anApplication, type TestClient } from './applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
  type TokenAnswer,
} from './browser-flow.js';
import { draw, type Draw } from './draw.js';
import { aUser, type TestUser } from './users.js';
import { anOrganization, type World } from './world.js';

// The class of attack "silent consent": whatever organizations, roles, users, applications and requests there are, no
// token does more than its user, its application and whoever gave the application its access could do, and none is for
// the service's own APIs without consent, save where bootstrap made the application.

const API_SCOPES = ['zitadel', 'service'].map((name) => `urn:${name}:iam:org:project:id:${name}:aud`);
const PROMPTS = ['', 'none', 'login', 'consent', 'select_account', 'select_account consent'];
const INSTANCE_ROLES = ['IAM_OWNER', 'IAM_OWNER_VIEWER'];
const ORGANIZATION_ROLES = ['ORG_OWNER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'];
const LEVELS = ['none', 'organization', 'instance'] as const;

interface Held {
  readonly user: TestUser;
  readonly client: TestClient;
  readonly token: string;
}

/** Everything as the database has it now, judged by rules of the test's own. */
interface Facts {
  readonly app_org: string;
  readonly access: (typeof LEVELS)[number];
  readonly first_party: boolean;
  readonly agreed: string | null;
  readonly giver_instance: boolean;
  readonly giver_org: boolean;
  readonly user_org: string;
  readonly roles: readonly { readonly role: string; readonly org: string | null }[];
}

export interface Found {
  /** How many calls succeeded, and how many were refused: a run that never gets anything shows nothing. */
  readonly allowed: number;
  readonly refused: number;
}

export class SilentConsent {
  private readonly draw: Draw;
  private readonly worlds: World[] = [];
  private readonly users: TestUser[] = [];
  private readonly clients: TestClient[] = [];
  private readonly browsers = new Map<string, TestBrowser>();
  /** Those that bootstrap could have made, whatever became of them since. */
  private readonly firstParty: string[] = [];
  private readonly held: Held[] = [];
  private allowed = 0;
  private refused = 0;

  constructor(
    private readonly api: TestApi,
    readonly seed: number,
  ) {
    this.draw = draw(seed);
  }

  /** Draws so many things to happen. Fails with the seed in its message. */
  async run(steps: number): Promise<Found> {
    await this.populate();
    for (let step = 0; step < steps; step += 1) {
      await this.happen(`seed ${this.seed}, step ${step}`);
      await this.expectNoSilence(`seed ${this.seed}, step ${step}`);
    }
    return { allowed: this.allowed, refused: this.refused };
  }

  private async populate(): Promise<void> {
    for (let count = 0; count < 3; count += 1) {
      const world = await anOrganization(this.api);
      this.worlds.push(world);
      for (let users = 0; users < 4; users += 1) this.users.push(await aUser(world));
    }
    // somebody always owns the instance, and each organization
    await this.giveRole(this.users[0] as TestUser, 'IAM_OWNER');
    for (const user of this.users) {
      if (this.draw.bool(0.6)) await this.changeRole(user);
    }
    for (const world of this.worlds) {
      for (let count = 0; count < 3; count += 1) {
        const managementAccess = this.draw.pick(LEVELS);
        const accessGivenBy = managementAccess === 'none' || this.draw.bool(0.15) ? null : this.drawGiver();
        const client = await anApplication(world, { managementAccess, accessGivenBy });
        this.clients.push(client);
        if (managementAccess !== 'none' && accessGivenBy === null) this.firstParty.push(client.id);
      }
    }
  }

  private async happen(where: string): Promise<void> {
    const dice = this.draw.int(0, 99);
    if (dice < 45) return await this.authorize(where);
    if (dice < 80) return await this.use(where);
    if (dice < 90) return await this.changeRole(this.draw.pick(this.users));
    if (dice < 95) return await this.changeAccess();
    if (dice < 97) return await this.withdraw();
    await this.rest();
  }

  private async authorize(where: string): Promise<void> {
    // few of each at a time, so that who is refused once is met again
    const user = this.draw.bool(0.3) ? this.users[0] : this.draw.pick(this.users);
    const client = this.draw.pick(this.clients);
    if (user === undefined) throw new Error('nobody');
    const asks = this.draw.bool(0.85);
    const prompt = this.draw.pick(PROMPTS);
    const scope = ['openid', ...(asks ? [this.draw.pick(API_SCOPES)] : [])].join(' ');
    const parameters = codeRequest(client, { scope, ...(prompt !== '' && { prompt }) });
    const browser = this.browsers.get(user.userId) ?? new TestBrowser(this.api);
    this.browsers.set(user.userId, browser);
    let answer = await browser.get(authorizeUrl(parameters));
    for (let pages = 0; pages < 4 && answer.headers.location?.startsWith('/') === true; pages += 1) {
      const at = answer.headers.location;
      const page = await browser.get(at);
      const fields = hiddenFields(page.body);
      if (at.startsWith('/login/consent')) {
        if (prompt === 'none') throw new Error(`${where}: a page for prompt=none`);
        answer = await browser.post('/login/consent', {
          ...fields,
          decision: this.draw.bool(0.75) ? 'allow' : 'deny',
        });
      } else if (at.startsWith('/login/accounts')) {
        const account = /name="account" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
        answer = await browser.post('/login/accounts', { ...fields, account });
      } else if (at.startsWith('/login?')) {
        const typed = { loginName: user.loginName, password: 'Marker-Passw0rd!' };
        answer = await browser.post('/login', { ...fields, ...typed });
      } else return;
    }
    const code = redirected(answer).get('code');
    if (code === null) return;
    const tokens = await requestToken(this.api, redemption(code), basic(client));
    if (tokens.statusCode === 200) {
      this.held.push({ user, client, token: tokens.json<TokenAnswer>().access_token });
    }
  }

  private async use(where: string): Promise<void> {
    if (this.held.length === 0) return;
    const { user, client, token } = this.draw.pick(this.held.slice(-12));
    const [facts] = (await this.api.sql.query<Facts>(FACTS, [user.userId, client.id])).rows;
    if (facts === undefined) throw new Error(`${where}: no facts`);
    const level = levelOf(facts);
    const has = (roles: readonly string[], org: string | null): boolean =>
      facts.roles.some((held) => roles.includes(held.role) && held.org === org);
    const inInstance = level === 'instance' && has(INSTANCE_ROLES, null);
    await this.probe(where, token, 'GET', '/admin/v1/keys', inInstance);
    for (const { orgId } of this.worlds) {
      const reaches = level === 'instance' || (level === 'organization' && orgId === facts.app_org);
      const may = inInstance || (reaches && has(ORGANIZATION_ROLES, orgId));
      await this.probe(where, token, 'GET', '/management/v1/orgs/me', may, orgId);
    }
    const whole =
      level === 'instance' ||
      (level === 'organization' &&
        facts.user_org === facts.app_org &&
        facts.roles.every(({ org }) => org === facts.app_org));
    await this.probe(where, token, 'PUT', '/auth/v1/users/me/profile', whole);
  }

  private async probe(
    where: string,
    token: string,
    method: 'GET' | 'PUT',
    url: string,
    may: boolean,
    orgId?: string,
  ): Promise<void> {
    const { statusCode } = await this.api.app.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        ...(orgId !== undefined && { 'x-zitadel-orgid': orgId }),
      },
      ...(method === 'PUT' && { payload: { firstName: 'Ada', lastName: 'Lovelace' } }),
    });
    if (statusCode === 200) {
      this.allowed += 1;
      if (!may)
        throw new Error(`${where}: ${method} ${url} in ${orgId ?? 'the own organization'} was allowed`);
    } else {
      this.refused += 1;
      if (statusCode !== 401 && statusCode !== 403) throw new Error(`${where}: ${url} is ${statusCode}`);
    }
  }

  private async changeRole(user: TestUser): Promise<void> {
    const isOwner = user.userId === this.users[0]?.userId;
    if (!isOwner && this.draw.bool(0.4)) {
      await this.api.sql.query('DELETE FROM memberships WHERE user_id = $1', [user.userId]);
      return;
    }
    await this.giveRole(
      user,
      this.draw.pick([...INSTANCE_ROLES, ...ORGANIZATION_ROLES, 'ORG_OWNER', 'ORG_OWNER']),
    );
  }

  /** Often the one who owns the instance throughout, or nearly everything would be refused. */
  private drawGiver(): UserId {
    return (this.draw.bool(0.6) ? this.users[0] : this.draw.pick(this.users))?.userId ?? ('' as UserId);
  }

  private async giveRole(user: TestUser, role: string): Promise<void> {
    await this.api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [user.userId, user.orgId, role, role.startsWith('IAM_') ? null : user.orgId],
    );
  }

  /** As an owner does it, in one statement: what else hangs from it is read when it is used. */
  private async changeAccess(): Promise<void> {
    const [client, level] = [this.draw.pick(this.clients), this.draw.pick(LEVELS)];
    const giver: UserId | null = level === 'none' ? null : this.drawGiver();
    await this.api.sql.query(
      `UPDATE applications SET management_access = $2, access_given_by = $3, first_party = false WHERE id = $1`,
      [client.id, level, giver],
    );
  }

  private async withdraw(): Promise<void> {
    const { user, token } =
      this.held.length === 0 ? { user: undefined, token: '' } : this.draw.pick(this.held);
    if (user === undefined) return;
    await this.api.app.inject({
      method: 'DELETE',
      url: '/auth/v1/users/me/consents',
      headers: { authorization: `Bearer ${token}` },
    });
  }

  /** Somebody, who may have given access, is at rest for a while; their own tokens and sessions are theirs again then. */
  private async rest(): Promise<void> {
    const user = this.draw.pick(this.users.slice(1));
    await this.api.sql.query(
      `UPDATE users SET state = CASE state WHEN 'active' THEN 'inactive' ELSE 'active' END WHERE id = $1`,
      [user.userId],
    );
  }

  /** No grant that is alive holds the audience without a consent that is on file. */
  private async expectNoSilence(where: string): Promise<void> {
    const { rows } = await this.api.sql.query<{ id: string }>(
      `SELECT g.id FROM authorizations g
       WHERE g.revoked_at IS NULL AND g.audience @> ARRAY[(SELECT api_project_id FROM instance)]
         AND NOT EXISTS (SELECT FROM consents c WHERE c.user_id = g.user_id AND c.application_id = g.application_id)
         AND g.application_id <> ALL ($1)`,
      [this.firstParty],
    );
    if (rows.length > 0) throw new Error(`${where}: grants without consent: ${JSON.stringify(rows)}`);
  }
}

function levelOf(facts: Facts): (typeof LEVELS)[number] {
  const given = facts.giver_instance ? 2 : facts.giver_org ? 1 : 0;
  const agreed = LEVELS.indexOf((facts.agreed ?? 'none') as (typeof LEVELS)[number]);
  const most = facts.first_party ? 2 : Math.min(given, agreed);
  return LEVELS[Math.min(LEVELS.indexOf(facts.access), most)] ?? 'none';
}

const FACTS = `
  SELECT a.org_id AS app_org, a.management_access AS access, a.first_party, u.org_id AS user_org,
    (SELECT c.access FROM consents c WHERE c.user_id = u.id AND c.application_id = a.id) AS agreed,
    EXISTS (SELECT FROM users g JOIN memberships m ON m.user_id = g.id
            WHERE g.id = a.access_given_by AND g.state = 'active' AND m.role = 'IAM_OWNER') AS giver_instance,
    EXISTS (SELECT FROM users g JOIN memberships m ON m.user_id = g.id
            WHERE g.id = a.access_given_by AND g.state = 'active' AND m.role = 'ORG_OWNER' AND m.org_id = a.org_id)
      AS giver_org,
    (SELECT coalesce(json_agg(json_build_object('role', m.role, 'org', m.org_id)), '[]') FROM memberships m
     WHERE m.user_id = u.id) AS roles
  FROM applications a, users u WHERE u.id = $1 AND a.id = $2`;
