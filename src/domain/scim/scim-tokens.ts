import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { OrganizationTokens } from '../organizations/organization-tokens.js';
import { Clock } from '../shared/clock.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, ScimTokenId, UserId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import { ScimTokensStore, type ScimToken, type ScimTokenSettings } from './scim-tokens.store.js';

/** A token of nobody, and one of another organization, alike. */
export function scimTokenNotFound(): ApiError {
  return new ApiError('not-found', 'SCIM token could not be found', 'SCIM-t7Kn2');
}

/** Who acts by a token, in events. No user can have this id: theirs hold no blanks (`given-id.ts`). */
export function actorOf({ id }: Pick<ScimToken, 'id'>): UserId {
  return `SCIM token ${id}` as UserId;
}

const KIND = { prefix: 'scim_', aggregateType: 'scim_token', notFound: scimTokenNotFound } as const;

/**
 * A directory (Entra ID, Okta) provisions the users of one organization by SCIM (RFC 7644), with a bearer token of that
 * organization. Such a token opens SCIM and nothing else, and nothing else opens SCIM. It has no role: whoever holds one, be
 * it of an organization or of the instance, is out of its reach (`RequireRank`).
 */
@Injectable()
export class ScimTokens extends OrganizationTokens<ScimTokenId, ScimTokenSettings, ScimToken> {
  constructor(
    private readonly tokens: ScimTokensStore,
    events: EventsStore,
    clock: Clock,
  ) {
    super(KIND, tokens, events, clock);
  }

  /** Whose token it is; undefined for one that is over, that is unknown, or that is another organization's. */
  async authenticate(orgId: OrgId, token: string): Promise<ScimToken | undefined> {
    if (!token.startsWith(KIND.prefix)) return undefined;
    return await this.tokens.use(orgId, sha256(token));
  }

  /** For a long request: its token may be removed meanwhile. */
  async isLive({ orgId, id }: ScimToken): Promise<boolean> {
    return await this.tokens.isLive(orgId, id);
  }
}
