import { Delete, Get, Param, Query } from '@nestjs/common';
import { EndSessionsOfUser, sessionNotFound } from '../../domain/accounts/end-sessions-of-user.js';
import type { AccountChange } from '../../domain/accounts/lock-account.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { SessionId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { changedSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { readNothing } from '../shared/api-fields.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import {
  END_SESSIONS_DESCRIPTION,
  endSessionsParameters,
  readEndSessions,
} from '../shared/end-sessions-parameters.js';
import { sessionsResponse, type SessionsResponse } from '../shared/human-responses.js';
import { sessionsAnswer } from '../shared/human-schemas.js';
import { PathId } from '../shared/path-id.js';
import { SelfController } from '../shared/self-controller.js';
import { AsksFor } from '../shared/self.guard.js';

const SESSION_ID = new PathId(sessionNotFound);

/** Where the caller is signed in, and ending it. */
@SelfController('auth/v1/users/me/sessions')
export class OwnSessionsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly sessions: SessionsStore,
    private readonly endSessions: EndSessionsOfUser,
  ) {}

  @Get()
  @AsksFor('read')
  @Documented({ summary: 'List the own sessions', answer: sessionsAnswer })
  async list(@CallerParam() { orgId, userId }: Caller): Promise<SessionsResponse> {
    return sessionsResponse(await this.sessions.listOfUser(orgId, userId));
  }

  @Delete()
  @AsksFor('write')
  @Documented({
    summary: 'End all own sessions',
    description: END_SESSIONS_DESCRIPTION,
    query: endSessionsParameters,
    answer: changedSchema,
  })
  async endAll(@Call() call: ApiCall, @Query() query: unknown): Promise<{ details: DetailsResponse }> {
    const how = readEndSessions(query);
    return await this.end(call, (tx, own) => this.endSessions.all(tx, own, how));
  }

  @Delete(':session')
  @AsksFor('write')
  @Documented({ summary: 'End an own session', answer: changedSchema })
  async endOne(
    @Call() call: ApiCall,
    @Param('session', SESSION_ID) session: string,
    @Query() query: unknown,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(query ?? {});
    return await this.end(call, (tx, own) => this.endSessions.one(tx, own, session as SessionId));
  }

  private async end(
    call: ApiCall,
    write: (tx: Tx, own: AccountChange) => Promise<ResourceDetails>,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const target = { orgId: call.orgId, userId: call.caller, ...call.acting };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await write(tx, target)),
    }));
  }
}
