import {
  OrganizationTokensStore,
  type NewOrganizationToken,
  type OrganizationToken,
  type OrganizationTokenSettings,
} from '../../organizations/organization-tokens.js';
import type { InitialAccessTokenId, ProjectId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';

export interface InitialAccessTokenSettings extends OrganizationTokenSettings {
  /** Has the applications that register with it. */
  readonly projectId: ProjectId;
  readonly mostUses: number;
}

export interface InitialAccessToken
  extends InitialAccessTokenSettings, OrganizationToken<InitialAccessTokenId> {
  readonly uses: number;
}

export type NewInitialAccessToken = NewOrganizationToken<InitialAccessTokenSettings>;

/** Initial access tokens (RFC 7591 §3), and how many registrations each of them is still good for. */
export abstract class InitialAccessTokensStore extends OrganizationTokensStore<
  InitialAccessTokenId,
  InitialAccessTokenSettings,
  InitialAccessToken
> {
  /**
   * Takes one use, by one conditional statement: of those who come at once with the last one, one has it. It is given back
   * where the transaction is undone. Undefined for a token that is expired, used up, unknown, or of a deactivated project.
   */
  abstract use(tx: Tx, tokenHash: Buffer): Promise<InitialAccessToken | undefined>;

  /** Whether it could be used: checked first, since only a holder may see the result of further checks. */
  abstract isUsable(tokenHash: Buffer): Promise<boolean>;
}
