import type { AccessTokenType } from '../applications/oidc-config.js';
import type { TokenPolicy } from '../policies/token-policy.js';
import type { ProjectId, UserId } from '../shared/ids.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';

/** To whom tokens are issued, as far as that shapes them. An application is one as it stands. */
export interface TokenClient {
  readonly clientId: string;
  readonly tokenEpoch: number;
  readonly accessTokenType: AccessTokenType;
  readonly clockSkewSeconds: number;
  readonly idTokenUserinfoAssertion: boolean;
  /** Signs its ID and logout tokens, where the instance's own will not do. */
  readonly idTokenAlgorithm?: SigningAlgorithm | null;
  readonly backChannelLogout: boolean;
  readonly accessTokenRoleAssertion: boolean;
  readonly idTokenRoleAssertion: boolean;
  /** Of an application. */
  readonly projectId?: ProjectId;
  readonly project?: { readonly assertsRoles: boolean };
  readonly lifetimes?: TokenPolicy;
}

/** A service user that acts for itself: subject and client in one. */
export interface ServiceUserIdentity {
  readonly userId: UserId;
  readonly userName: string;
  readonly tokenEpoch: number;
  readonly accessTokenType: AccessTokenType;
  /** As its organization decided. */
  readonly lifetimes: TokenPolicy;
}

/** A service user has none of an application's switches: its tokens name it by its user name (protocol §7.2). */
export function clientOf(user: ServiceUserIdentity): TokenClient {
  const { userName, tokenEpoch, accessTokenType, lifetimes } = user;
  return {
    clientId: userName,
    tokenEpoch,
    accessTokenType,
    clockSkewSeconds: 0,
    idTokenUserinfoAssertion: false,
    backChannelLogout: false,
    // its own roles are what it asks for them with (protocol §6.2)
    accessTokenRoleAssertion: true,
    idTokenRoleAssertion: true,
    lifetimes,
  };
}
