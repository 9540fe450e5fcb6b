import type { ServiceUserClient } from '../service-users/service-users.store.js';
import type { TokenClient } from '../tokens/token-client.js';

/** A service user has none of an application's switches: its tokens name it by its user name (protocol §7.2). */
export function clientOf(user: ServiceUserClient): TokenClient {
  const { orgId, tokenEpoch, accessTokenType, lifetimes } = user;
  return {
    orgId,
    clientId: nameInTokens(user),
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

/**
 * Whoever is named like an application or a project, whosever it is, goes by the id, which is nobody else's: APIs and relying
 * parties would take its tokens for those of that client (security S377). Asked at each token, because clients bring their ids
 * along when they are imported, and those that publish a document are named by its address.
 */
function nameInTokens({ userId, userName, namedLikeClient }: ServiceUserClient): string {
  return namedLikeClient || /^https?:/i.test(userName) ? userId : userName;
}
