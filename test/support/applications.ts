import {
  ApplicationsStore,
  type NewOidcApplication,
} from '../../src/domain/applications/applications.store.js';
import { CreateOidcApplication } from '../../src/domain/applications/create-oidc-application.js';
import { oidcConfigSchema } from '../../src/domain/applications/oidc-config.js';
import { randomToken } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { World } from './world.js';

export const REDIRECT_URI = 'https://rp.test/cb';
export const POST_LOGOUT_URI = 'https://rp.test/bye';

export interface TestClient {
  readonly id: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
}

/** A web application that may have codes and refresh tokens, but for the changes. */
export async function anApplication(
  { api, orgId, projectId }: World,
  changes: Partial<NewOidcApplication> = {},
): Promise<TestClient> {
  const { accessGivenBy = null, clientSecretHash, ...others } = changes;
  const settings = {
    orgId,
    projectId,
    name: `App ${randomToken(6)}`,
    ...oidcConfigSchema.parse({
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [REDIRECT_URI],
      postLogoutRedirectUris: [POST_LOGOUT_URI],
    }),
    ...others,
  };
  const { app } = api;
  const create = app.get(CreateOidcApplication);
  await create.check(settings);
  const { id, clientId, clientSecret } = await app.get(UnitOfWork).run(async (tx) => {
    const created = await create.store(tx, settings, null, clientSecretHash ?? undefined);
    // given at some time by somebody who may be below that by now
    if (accessGivenBy !== null) {
      const gift = { access: settings.managementAccess ?? 'none', givenBy: accessGivenBy };
      await app.get(ApplicationsStore).setAccess(tx, created.id, gift);
    }
    return created;
  });
  return { id, clientId, clientSecret: clientSecret ?? '' };
}

/** One that may have tokens for the service's own APIs, without anybody agreeing: as bootstrap makes them. */
export async function anOwnApplication(
  world: World,
  changes: Partial<NewOidcApplication> = {},
): Promise<TestClient> {
  return await anApplication(world, { managementAccess: 'instance', ...changes });
}

/** One in a browser: no secret, PKCE. */
export async function aPublicApplication(world: World): Promise<TestClient> {
  return await anApplication(world, { authMethod: 'none', appType: 'user_agent' });
}
