import type { TOKEN_SETTINGS } from '../applications/application.js';
import type { OidcConfig } from '../applications/oidc-config.js';
import type { TokenPolicy } from '../policies/policies.store.js';
import type { OrgId, ProjectId } from '../shared/ids.js';

type TokenSettings = Pick<OidcConfig, (typeof TOKEN_SETTINGS)[number]>;

/** What a service user has, too: `clientOf` says what. */
type OfEverybody =
  'accessTokenType' | 'clockSkewSeconds' | 'accessTokenRoleAssertion' | 'idTokenRoleAssertion';

/** To whom tokens are issued, as far as that shapes them. An application is one as it stands. */
export interface TokenClient
  extends Pick<TokenSettings, OfEverybody>, Partial<Omit<TokenSettings, OfEverybody>> {
  /** Whose it is. */
  readonly orgId: OrgId;
  readonly clientId: string;
  readonly tokenEpoch: number;
  readonly backChannelLogout: boolean;
  readonly frontChannelLogout?: boolean;
  /** Of an application. */
  readonly projectId?: ProjectId;
  readonly project?: { readonly assertsRoles: boolean };
  readonly lifetimes?: TokenPolicy;
  /** Of an application with pairwise subjects (`PairwiseSubjects`). */
  readonly pairwiseSector?: string | null;
}
