import { randomToken } from '../../../../src/domain/shared/random.js';
import type { TestApi } from '../../../support/api.js';
import { basic, requestToken, type TokenAnswer } from '../../../support/browser-flow.js';
import { call } from '../../../support/calls.js';
import { aServiceUser } from '../../../support/service-users.js';
import type { World } from '../../../support/world.js';

/** The reserved scope that puts a project into the audience. */
export function audienceScope(projectId: string): string {
  return `urn:zitadel:iam:org:project:id:${projectId}:aud`;
}

/**
 * A token that a new service user of the organization gets for itself by its secret.
 * @param named what the user is called by then, where no call would let it be called so
 */
export async function machineToken(
  api: TestApi,
  world: World,
  {
    form,
    scope = 'openid',
    named,
  }: { readonly form: 'opaque' | 'jwt'; readonly scope?: string; readonly named?: string },
): Promise<string> {
  const { pat } = await aServiceUser(world, 'ORG_OWNER');
  const userName = `robot-${randomToken(6).toLowerCase()}`;
  const accessTokenType = form === 'jwt' ? 'ACCESS_TOKEN_TYPE_JWT' : 'ACCESS_TOKEN_TYPE_BEARER';
  const body = { userName, name: 'Robot', accessTokenType };
  const { userId } = (await call(api, 'POST', 'users/machine', { pat, body })).json<{ userId: string }>();
  const made = await call(api, 'PUT', `users/${userId}/secret`, { pat, body: {} });
  const { clientSecret } = made.json<{ clientSecret: string }>();
  if (named !== undefined) {
    await api.sql.query(`UPDATE users SET user_name = $2 WHERE id = $1`, [userId, named]);
  }
  // a bare name may belong to several organizations
  const headers = basic({ id: userId, clientId: `${userName}@${world.domain}`, clientSecret });
  const response = await requestToken(api, { grant_type: 'client_credentials', scope }, headers);
  if (response.statusCode !== 200) throw new Error(`no token: ${response.body}`);
  return response.json<TokenAnswer>().access_token;
}
