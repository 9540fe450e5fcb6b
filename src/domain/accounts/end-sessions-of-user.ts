import { Injectable } from '@nestjs/common';
import { SessionsStore } from '../sessions/sessions.store.js';
import { ApiError } from '../shared/errors.js';
import type { ResourceDetails } from '../shared/details.js';
import type { SessionId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { type AccountChange, HoldAccount } from './hold-account.js';

/** Ends sessions of one user: all, or one. Their tokens are dead on every replica with the commit. */
@Injectable()
export class EndSessionsOfUser {
  constructor(
    private readonly account: HoldAccount,
    private readonly sessions: SessionsStore,
  ) {}

  /** Sessions have events of their own, so nothing of the user changes. @throws ApiError not-found */
  async execute(tx: Tx, change: AccountChange, only?: SessionId): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const { details } = await this.account.holdCovered(tx, change);
    const which = { orgId, userId, ...(only === undefined ? {} : { only }) };
    const ended = await this.sessions.endOfUser(tx, which, 'ended_by_request', actorId);
    if (only !== undefined && ended === 0) throw sessionNotFound();
    return details;
  }
}

export function sessionNotFound(): ApiError {
  return new ApiError('not-found', 'Session not found', 'QUERY-8Fs2d');
}
