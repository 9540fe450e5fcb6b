import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { requireFuture } from '../service-users/expiry.js';
import { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { InitialAccessTokenId, OrgId, UserId } from '../shared/ids.js';
import { randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import {
  InitialAccessTokensStore,
  type InitialAccessToken,
  type InitialAccessTokenSettings,
} from './initial-access-tokens.store.js';

/** Scanners for leaked secrets find it by this. */
const PREFIX = 'iat_';

export interface AddedInitialAccessToken extends InitialAccessToken {
  /** Shown this once; only its hash is stored. */
  readonly token: string;
}

/** A token of nobody, and one of another organization, alike. */
export function initialAccessTokenNotFound(): ApiError {
  return new ApiError('not-found', 'Initial access token could not be found', 'DCR-n4Kt1');
}

/**
 * Tokens by which applications register themselves with a project of an organization (RFC 7591 §3.1). Such a token opens the
 * registration endpoint and nothing else; the organization vouches for whatever is registered with it.
 */
@Injectable()
export class InitialAccessTokens {
  constructor(
    private readonly tokens: InitialAccessTokensStore,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError invalid-argument for an end that is past, not-found for the project, failed-precondition */
  async add(
    tx: Tx,
    orgId: OrgId,
    wanted: InitialAccessTokenSettings,
    actorId: UserId,
  ): Promise<AddedInitialAccessToken> {
    requireFuture(wanted.expiresAt ?? undefined, this.clock.nowMs());
    const token = PREFIX + randomToken(32);
    const added = await this.tokens.add(tx, { ...wanted, orgId, tokenHash: sha256(token) });
    await this.record(tx, orgId, added.id, added.details, 'initial_access_token.added', actorId);
    return { ...added, token };
  }

  /** @throws ApiError not-found */
  async get(orgId: OrgId, id: InitialAccessTokenId): Promise<InitialAccessToken> {
    const token = await this.tokens.find(orgId, id);
    if (token === undefined) throw initialAccessTokenNotFound();
    return token;
  }

  /** What registered with it stays. @throws ApiError not-found */
  async remove(tx: Tx, orgId: OrgId, id: InitialAccessTokenId, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.tokens.remove(tx, orgId, id);
    if (details === undefined) throw initialAccessTokenNotFound();
    await this.record(tx, orgId, id, details, 'initial_access_token.removed', actorId);
    return details;
  }

  private async record(
    tx: Tx,
    orgId: OrgId,
    aggregateId: InitialAccessTokenId,
    { sequence }: ResourceDetails,
    type: EventType,
    actorId: UserId,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'initial_access_token',
      aggregateId,
      sequence,
      type,
      actorId,
    });
  }
}
