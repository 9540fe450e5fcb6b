import type { ResourceDetails } from '../shared/details.js';
import type { InitialAccessTokenId, OrgId, ProjectId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

export interface InitialAccessTokenSettings {
  /** For people, to tell one from another. */
  readonly name: string;
  /** Has the applications that register with it. */
  readonly projectId: ProjectId;
  readonly mostUses: number;
  readonly expiresAt: Date | null;
}

export interface InitialAccessToken extends InitialAccessTokenSettings {
  readonly id: InitialAccessTokenId;
  readonly orgId: OrgId;
  readonly uses: number;
  readonly details: ResourceDetails;
}

export interface NewInitialAccessToken extends InitialAccessTokenSettings {
  readonly orgId: OrgId;
  readonly tokenHash: Buffer;
}

export abstract class InitialAccessTokensStore {
  /** @throws ApiError failed-precondition where there are too many, not-found for the project */
  abstract add(tx: Tx, token: NewInitialAccessToken): Promise<InitialAccessToken>;

  abstract list(orgId: OrgId, page: PageQuery): Promise<Page<InitialAccessToken>>;

  abstract find(orgId: OrgId, id: InitialAccessTokenId): Promise<InitialAccessToken | undefined>;

  abstract remove(tx: Tx, orgId: OrgId, id: InitialAccessTokenId): Promise<ResourceDetails | undefined>;

  /**
   * Takes one use, by one conditional statement: of those who come at once with the last one, one has it. It is given back
   * where the transaction is undone. Undefined for a token that is over, used up, unknown, or of a project at rest.
   */
  abstract use(tx: Tx, tokenHash: Buffer): Promise<InitialAccessToken | undefined>;

  /** Whether it could be used: asked before anything is checked that only a holder may hear about. */
  abstract isUsable(tokenHash: Buffer): Promise<boolean>;
}
