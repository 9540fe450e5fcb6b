import { oidcConfigSchema } from '../../src/domain/applications/oidc-config.js';
import { randomBytes } from 'node:crypto';
import {
  ApplicationsStore,
  type NewOidcApplication,
} from '../../src/domain/applications/applications.store.js';
import { ProjectsStore } from '../../src/domain/projects/projects.store.js';
import { OrgsStore } from '../../src/domain/orgs/orgs.store.js';
import { PasswordHashing } from '../../src/domain/passwords/password-hashing.js';
import { SecurityPoliciesStore } from '../../src/domain/policies/security-policies.store.js';
import type { OrgId, ProjectId, UserId } from '../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { canonicalName } from '../../src/domain/users/canonical-name.js';
import type { HumanUser } from '../../src/domain/users/user.js';
import { UsersStore } from '../../src/domain/users/users.store.js';
import type { TestApi } from './api.js';
import { TEST_BILL } from './hashing.js';

export const PASSWORD = 'Marker-Passw0rd!';
export const REDIRECT_URI = 'https://rp.test/cb';
export const POST_LOGOUT_URI = 'https://rp.test/bye';

export interface TestClient {
  readonly id: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
}

export interface TestUser {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly loginName: string;
}

/** An organization with its project, made through the stores; users and clients are added as a test needs them. */
export class World {
  private constructor(
    private readonly api: TestApi,
    readonly orgId: OrgId,
    readonly domain: string,
    readonly projectId: ProjectId,
  ) {}

  /** The first organization of a database becomes the default one, and gets the service's own project as well. */
  static async create(api: TestApi): Promise<World> {
    const { app } = api;
    const domain = `o${randomBytes(4).toString('hex')}.test`;
    return await app.get(UnitOfWork).run(async (tx) => {
      const orgs = app.get(OrgsStore);
      const { id: orgId } = await orgs.add(tx, { name: `Org ${domain}`, primaryDomain: domain });
      const plan = {
        orgId,
        name: 'Project',
        projectRoleAssertion: false,
        projectRoleCheck: false,
        hasProjectCheck: false,
        privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
      };
      const { id: projectId } = await app.get(ProjectsStore).add(tx, plan);
      if ((await orgs.findInstance(tx)) === undefined) {
        const own = await app.get(ProjectsStore).add(tx, { ...plan, name: 'Identity Service' });
        await orgs.addInstance(tx, orgId, own.id);
      }
      return new World(api, orgId, domain, projectId);
    });
  }

  /** Lets people make accounts of their own in this organization, or lets nobody. */
  async allowRegister(allowed = true): Promise<void> {
    const { app } = this.api;
    const policies = app.get(SecurityPoliciesStore);
    await app.get(UnitOfWork).run(async (tx) => {
      await policies.hold(tx, 'login', this.orgId);
      await policies.replace(tx, 'login', this.orgId, { allowRegister: allowed }, true);
    });
  }

  async addClient(changes: Partial<NewOidcApplication> = {}): Promise<TestClient> {
    const secret = (changes.authMethod ?? 'client_secret_basic').startsWith('client_secret_')
      ? randomToken(32)
      : '';
    const { app } = this.api;
    const created = await app.get(UnitOfWork).run((tx) =>
      app.get(ApplicationsStore).add(tx, 'oidc', {
        orgId: this.orgId,
        projectId: this.projectId,
        name: `App ${randomToken(6)}`,
        clientSecretHash: secret === '' ? null : sha256(secret),
        ...oidcConfigSchema.parse({
          grantTypes: ['authorization_code', 'refresh_token'],
          redirectUris: [REDIRECT_URI],
          postLogoutRedirectUris: [POST_LOGOUT_URI],
        }),
        ...changes,
      }),
    );
    return { id: created.id, clientId: created.clientId, clientSecret: secret };
  }

  /** A client that may have tokens for the service's own APIs, without anybody agreeing: as bootstrap makes them. */
  async addOwnClient(changes: Partial<NewOidcApplication> = {}): Promise<TestClient> {
    return await this.addClient({ managementAccess: 'instance', ...changes });
  }

  /** A public client: no secret, PKCE. */
  async addSpa(): Promise<TestClient> {
    return await this.addClient({ authMethod: 'none', appType: 'user_agent' });
  }

  async addUser(
    changes: {
      readonly userName?: string;
      readonly password?: string;
      readonly profile?: Partial<HumanUser['profile']>;
      readonly email?: HumanUser['email'];
      /** The user has shown that the mailbox of the verified address is theirs; otherwise somebody vouched for it. */
      readonly proven?: boolean;
      readonly phone?: NonNullable<HumanUser['phone']>;
    } = {},
  ): Promise<TestUser> {
    const { app } = this.api;
    const [reserved] = await app.get(UsersStore).reserve([null]);
    if (reserved === undefined) throw new Error('no id');
    const userName = changes.userName ?? `user-${randomToken(6)}`.toLowerCase();
    const email = changes.email ?? { address: `${userName}@mail.test`, verified: true };
    const hashing = app.get(PasswordHashing);
    const hash = await hashing.hash(changes.password ?? PASSWORD, TEST_BILL);
    const identifiers = [{ kind: 'user_name' as const, canonical: canonicalName(userName) }];
    await app.get(UnitOfWork).run((tx) =>
      app.get(UsersStore).addHumans(tx, [
        {
          id: reserved.id,
          orgId: this.orgId,
          userName,
          state: 'active',
          profile: {
            firstName: 'Ada',
            lastName: 'Lovelace',
            displayName: 'Ada Lovelace',
            ...changes.profile,
          },
          email,
          ...(changes.phone === undefined ? {} : { phone: changes.phone }),
          identifiers: email.verified
            ? [
                ...identifiers,
                {
                  kind: 'email' as const,
                  canonical: canonicalName(email.address),
                  proven: changes.proven ?? false,
                },
              ]
            : identifiers,
          password: { ...hashing.inspect(hash), hash, changeRequired: false },
        },
      ]),
    );
    return { userId: reserved.id, orgId: this.orgId, userName, loginName: `${userName}@${this.domain}` };
  }
}
