import type { ServiceUserClient } from '../service-users/service-users.store.js';
import type { TokenClient } from '../tokens/token-client.js';

/** A service user has none of an application's switches: its tokens name it by its user name (protocol §7.2). */
export function clientOf(user: ServiceUserClient): TokenClient {
  const { orgId, userName, tokenEpoch, accessTokenType, lifetimes } = user;
  return {
    orgId,
    clientId: userName,
    tokenEpoch,
    accessTokenType,
    clockSkewSeconds: 0,
    backChannelLogout: false,
    // its own roles are what it asks for them with (protocol §6.2)
    accessTokenRoleAssertion: true,
    idTokenRoleAssertion: true,
    lifetimes,
  };
}
