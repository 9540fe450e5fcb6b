import type { EventsStore } from '../events/events.store.js';
import type { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import type { ApiError } from '../shared/errors.js';
import { requireFuture } from '../shared/expiry.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import { randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What every token of an organization has; a kind adds what it lets its holder do. */
export interface OrganizationTokenSettings {
  /** For people, to distinguish the tokens. */
  readonly name: string;
  readonly expiresAt: Date | null;
}

export interface OrganizationToken<Id extends string> extends OrganizationTokenSettings {
  readonly id: Id;
  readonly orgId: OrgId;
  readonly details: ResourceDetails;
}

/** Only the hash reaches the store. */
export type NewOrganizationToken<Settings> = Settings & { readonly orgId: OrgId; readonly tokenHash: Buffer };

/** With the token itself, which is shown this once. */
type AddedOrganizationToken<Token> = Token & { readonly token: string };

/** What kinds of tokens have in common that belong to an organization and not to a user. */
export abstract class OrganizationTokensStore<Id extends string, Settings, Token> {
  /** @throws ApiError failed-precondition where there are too many, not-found for the project */
  abstract add(tx: Tx, token: NewOrganizationToken<Settings>): Promise<Token>;

  abstract list(orgId: OrgId, page: PageQuery): Promise<Page<Token>>;

  abstract find(orgId: OrgId, id: Id): Promise<Token | undefined>;

  /** It ends on every replica with the commit. */
  abstract remove(tx: Tx, orgId: OrgId, id: Id): Promise<ResourceDetails | undefined>;
}

interface Kind {
  /** Scanners for leaked secrets find a token by this. */
  readonly prefix: string;
  readonly aggregateType: 'initial_access_token' | 'scim_token';
  /** A token of nobody, and one of another organization, alike. */
  readonly notFound: () => ApiError;
}

/** Tokens that an organization makes and removes; none belongs to a user, and each kind opens one thing. */
export abstract class OrganizationTokens<
  Id extends string,
  Settings extends OrganizationTokenSettings,
  Token extends OrganizationToken<Id>,
> {
  protected constructor(
    private readonly kind: Kind,
    private readonly store: OrganizationTokensStore<Id, Settings, Token>,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError invalid-argument for an end that is past, not-found for the project, failed-precondition */
  async add(tx: Tx, orgId: OrgId, wanted: Settings, actorId: UserId): Promise<AddedOrganizationToken<Token>> {
    requireFuture(wanted.expiresAt ?? undefined, this.clock.nowMs());
    const token = this.kind.prefix + randomToken(32);
    const added = await this.store.add(tx, { ...wanted, orgId, tokenHash: sha256(token) });
    await this.record(tx, added.id, added.details, 'added', { orgId, actorId });
    return { ...added, token };
  }

  /** @throws ApiError not-found */
  async get(orgId: OrgId, id: Id): Promise<Token> {
    const token = await this.store.find(orgId, id);
    if (token === undefined) throw this.kind.notFound();
    return token;
  }

  /** What was done with it stays. @throws ApiError not-found */
  async remove(tx: Tx, orgId: OrgId, id: Id, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.store.remove(tx, orgId, id);
    if (details === undefined) throw this.kind.notFound();
    await this.record(tx, id, details, 'removed', { orgId, actorId });
    return details;
  }

  private async record(
    tx: Tx,
    aggregateId: Id,
    { sequence }: ResourceDetails,
    change: 'added' | 'removed',
    who: { readonly orgId: OrgId; readonly actorId: UserId },
  ): Promise<void> {
    const { aggregateType } = this.kind;
    const type = `${aggregateType}.${change}` as const;
    await this.events.append(tx, { ...who, aggregateType, aggregateId, sequence, type });
  }
}
