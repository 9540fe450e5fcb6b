import { anyFreePort } from '../../../scripts/ports.mjs';
import { startTestApi, type TestApi } from '../../support/api.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, type World } from '../../support/world.js';

/** What a newcomer sends to `POST …/projects/{p}/apps/oidc`: everything else has its default. */
export interface ApplicationJson {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly [field: string]: unknown;
}

export interface Registered {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for an application without a secret. */
  readonly clientSecret: string;
}

/** The service on a real port of localhost, with somebody who has a password, for programs that know nothing of it. */
export class Stage {
  private constructor(
    readonly issuer: string,
    readonly api: TestApi,
    readonly world: World,
    readonly owner: ServiceUser,
    readonly user: TestUser,
  ) {}

  static async build(environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const port = await anyFreePort();
    const issuer = `http://localhost:${port}`;
    const api = await startTestApi({ PUBLIC_URL: issuer, ...environment });
    try {
      const world = await anOrganization(api);
      const owner = await aServiceUser(world, 'ORG_OWNER');
      const user = await aUser(world);
      await api.app.listen(port, '127.0.0.1');
      return new Stage(issuer, api, world, owner, user);
    } catch (error) {
      await api.close();
      throw error;
    }
  }

  /** The same service to people of another organization. */
  async elsewhere(): Promise<Stage> {
    const world = await anOrganization(this.api);
    const [owner, user] = [await aServiceUser(world, 'ORG_OWNER'), await aUser(world)];
    return new Stage(this.issuer, this.api, world, owner, user);
  }

  readonly password = PASSWORD;

  /** Registers an application by the management API, with the very JSON that the docs show. */
  async addApplication(json: ApplicationJson): Promise<Registered> {
    const { clientId, clientSecret = '' } = await this.manage<{ clientId: string; clientSecret?: string }>(
      `projects/${this.world.projectId}/apps/oidc`,
      json,
    );
    return { issuer: this.issuer, clientId, clientSecret };
  }

  /** A call of the management API as the organization's owner. */
  async manage<Answer>(path: string, body: unknown, method: 'POST' | 'PUT' = 'POST'): Promise<Answer> {
    const response = await fetch(`${this.issuer}/management/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.owner.pat}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async close(): Promise<void> {
    await this.api.close();
  }
}
