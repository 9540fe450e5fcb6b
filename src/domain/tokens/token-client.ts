import type { AccessTokenType } from '../applications/oidc-config.js';
import type { TokenPolicy } from '../policies/token-policy.js';
import type { ProjectId } from '../shared/ids.js';
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
