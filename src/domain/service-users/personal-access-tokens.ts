import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import { requireFuture } from '../shared/expiry.js';
import type { OrgId, PersonalAccessTokenId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import { randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { FindServiceUser, type ServiceUserChange } from './find-service-user.js';
import { ServiceUsersStore, type PersonalAccessToken } from './service-users.store.js';

/** What a personal access token begins with; the rest is 256 random bits. Only its SHA-256 is stored. */
const PERSONAL_ACCESS_TOKEN_PREFIX = 'pat_';

interface AddedPersonalAccessToken extends PersonalAccessToken {
  /** Shown this once; only its hash is stored. */
  readonly token: string;
}

/** A token of nobody, and one of another user, alike. */
export function personalAccessTokenNotFound(): ApiError {
  return new ApiError('not-found', 'Personal Access Token could not be found', 'QUERY-fRunu');
}

/** Long-lived bearer tokens of service users: made, looked at, taken away one by one. */
@Injectable()
export class PersonalAccessTokens {
  constructor(
    private readonly find: FindServiceUser,
    private readonly serviceUsers: ServiceUsersStore,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * @param token created, unless the bootstrap command reuses one that it has already written to its file
   * @throws ApiError not-found, failed-precondition, permission-denied, invalid-argument for an end that is past
   */
  async add(
    tx: Tx,
    change: ServiceUserChange,
    expiresAt: Date | undefined,
    token = PERSONAL_ACCESS_TOKEN_PREFIX + randomToken(32),
  ): Promise<AddedPersonalAccessToken> {
    const { orgId, userId } = change;
    await this.find.lockActive(tx, change);
    requireFuture(expiresAt, this.clock.nowMs());
    const tokenHash = sha256(token);
    const added = await this.serviceUsers.addToken(tx, {
      orgId,
      userId,
      tokenHash,
      expiresAt: expiresAt ?? null,
      madeBy: await this.find.makerOf(tx, change),
    });
    await this.record(tx, change, added.id, added.details, 'user.personal_access_token.added');
    return { ...added, token };
  }

  /** @throws ApiError not-found, failed-precondition */
  async list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<PersonalAccessToken>> {
    await this.find.require(orgId, userId);
    return await this.serviceUsers.listTokens(orgId, userId, page);
  }

  /** @throws ApiError not-found, failed-precondition */
  async get(orgId: OrgId, userId: UserId, id: PersonalAccessTokenId): Promise<PersonalAccessToken> {
    await this.find.require(orgId, userId);
    const token = await this.serviceUsers.findToken(orgId, userId, id);
    if (token === undefined) throw personalAccessTokenNotFound();
    return token;
  }

  /**
   * Ends that one token on every replica when it is committed.
   * @throws ApiError not-found, failed-precondition, permission-denied
   */
  async remove(tx: Tx, change: ServiceUserChange, id: PersonalAccessTokenId): Promise<ResourceDetails> {
    await this.find.lock(tx, change);
    const details = await this.serviceUsers.revokeToken(tx, change.orgId, change.userId, id);
    if (details === undefined) throw personalAccessTokenNotFound();
    await this.record(tx, change, id, details, 'user.personal_access_token.removed');
    return details;
  }

  private async record(
    tx: Tx,
    { orgId, userId, actorId }: ServiceUserChange,
    id: PersonalAccessTokenId,
    { sequence }: ResourceDetails,
    type: EventType,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'personal_access_token',
      aggregateId: id,
      sequence,
      type,
      actorId,
      data: { userId },
    });
  }
}
