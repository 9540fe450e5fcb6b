import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { requireFuture } from '../service-users/expiry.js';
import { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, ScimTokenId, UserId } from '../shared/ids.js';
import { randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ScimTokensStore, type ScimToken, type ScimTokenSettings } from './scim-tokens.store.js';

/**
 * A directory (Entra ID, Okta) provisions the users of one organization by SCIM (RFC 7644), with a bearer token of that
 * organization. Such a token opens SCIM and nothing else, and nothing else opens SCIM. It has no role: whoever holds one, be
 * it of an organization or of the instance, is out of its reach (`RequireRank`).
 */
const SCIM_TOKEN_PREFIX = 'scim_';

export interface AddedScimToken extends ScimToken {
  /** Shown this once; only its hash is stored. */
  readonly token: string;
}

/** A token of nobody, and one of another organization, alike. */
export function scimTokenNotFound(): ApiError {
  return new ApiError('not-found', 'SCIM token could not be found', 'SCIM-t7Kn2');
}

/** Who acts by a token, in events. No user can have this id: theirs hold no blanks (`given-id.ts`). */
export function actorOf({ id }: Pick<ScimToken, 'id'>): UserId {
  return `SCIM token ${id}` as UserId;
}

@Injectable()
export class ScimTokens {
  constructor(
    private readonly tokens: ScimTokensStore,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError invalid-argument for an end that is past, not-found for the project, failed-precondition */
  async add(tx: Tx, orgId: OrgId, settings: ScimTokenSettings, actorId: UserId): Promise<AddedScimToken> {
    requireFuture(settings.expiresAt ?? undefined, this.clock.nowMs());
    const token = SCIM_TOKEN_PREFIX + randomToken(32);
    const added = await this.tokens.add(tx, { ...settings, orgId, tokenHash: sha256(token) });
    await this.record(tx, orgId, added.id, added.details, 'scim_token.added', actorId);
    return { ...added, token };
  }

  /** @throws ApiError not-found */
  async get(orgId: OrgId, id: ScimTokenId): Promise<ScimToken> {
    const token = await this.tokens.find(orgId, id);
    if (token === undefined) throw scimTokenNotFound();
    return token;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, orgId: OrgId, id: ScimTokenId, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.tokens.remove(tx, orgId, id);
    if (details === undefined) throw scimTokenNotFound();
    await this.record(tx, orgId, id, details, 'scim_token.removed', actorId);
    return details;
  }

  /** Whose token it is; undefined for one that is over, that is unknown, or that is another organization's. */
  async authenticate(orgId: OrgId, token: string): Promise<ScimToken | undefined> {
    if (!token.startsWith(SCIM_TOKEN_PREFIX)) return undefined;
    return await this.tokens.use(orgId, sha256(token));
  }

  /** For a request that goes on for a while: its token may be removed meanwhile. */
  async isLive({ orgId, id }: ScimToken): Promise<boolean> {
    return await this.tokens.isLive(orgId, id);
  }

  private async record(
    tx: Tx,
    orgId: OrgId,
    aggregateId: ScimTokenId,
    { sequence }: ResourceDetails,
    type: EventType,
    actorId: UserId,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'scim_token',
      aggregateId,
      sequence,
      type,
      actorId,
    });
  }
}
