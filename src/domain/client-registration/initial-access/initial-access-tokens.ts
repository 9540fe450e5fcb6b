import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { OrganizationTokens } from '../../organizations/organization-tokens.js';
import { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import type { InitialAccessTokenId } from '../../shared/ids.js';
import {
  InitialAccessTokensStore,
  type InitialAccessToken,
  type InitialAccessTokenSettings,
} from './initial-access-tokens.store.js';

/** A token of nobody, and one of another organization, alike. */
export function initialAccessTokenNotFound(): ApiError {
  return new ApiError('not-found', 'Initial access token could not be found', 'DCR-n4Kt1');
}

const KIND = {
  prefix: 'iat_',
  aggregateType: 'initial_access_token',
  notFound: initialAccessTokenNotFound,
} as const;

/**
 * Tokens by which applications register themselves with a project of an organization (RFC 7591 §3.1). Such a token opens the
 * registration endpoint and nothing else; the organization is responsible for the applications registered with it.
 */
@Injectable()
export class InitialAccessTokens extends OrganizationTokens<
  InitialAccessTokenId,
  InitialAccessTokenSettings,
  InitialAccessToken
> {
  constructor(tokens: InitialAccessTokensStore, events: EventsStore, clock: Clock) {
    super(KIND, tokens, events, clock);
  }
}
