import { Delete, Get, Param, Query } from '@nestjs/common';
import { EndSessionsOfUser, sessionNotFound } from '../../domain/accounts/end-sessions-of-user.js';
import type { AccountChange } from '../../domain/accounts/lock-account.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId, SessionId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
import { changedSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
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
import { RequiresPermission } from '../shared/permission.guard.js';

const USER_ID = new PathId(userNotFound);
const SESSION_ID = new PathId(sessionNotFound);

/** Where a user of the organization is signed in, and ending it. */
@ApiController('management/v1/users/:id/sessions')
export class UserSessionsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly sessions: SessionsStore,
    private readonly endSessions: EndSessionsOfUser,
  ) {}

  @Get()
  @Documented({ summary: 'List the sessions of a user', answer: sessionsAnswer })
  @RequiresPermission('user.read')
  async list(@ActingOrg() orgId: OrgId, @Param('id', USER_ID) id: string): Promise<SessionsResponse> {
    const user = await this.findUser.find(orgId, id as UserId);
    return sessionsResponse(await this.sessions.listOfUser(orgId, user.id));
  }

  @Delete()
  @Documented({
    summary: 'End all sessions of a user',
    description: END_SESSIONS_DESCRIPTION,
    query: endSessionsParameters,
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async endAll(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Query() query: unknown,
  ): Promise<{ details: DetailsResponse }> {
    const how = readEndSessions(query);
    return await this.end(call, id, (tx, target) => this.endSessions.all(tx, target, how));
  }

  @Delete(':session')
  @Documented({ summary: 'End a session of a user', answer: changedSchema })
  @RequiresPermission('user.write')
  async endOne(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Param('session', SESSION_ID) session: string,
    @Query() query: unknown,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(query ?? {});
    return await this.end(call, id, (tx, target) => this.endSessions.one(tx, target, session as SessionId));
  }

  private async end(
    call: ApiCall,
    id: string,
    write: (tx: Tx, target: AccountChange) => Promise<ResourceDetails>,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const target = { orgId: call.orgId, userId: id as UserId, ...call.acting };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await write(tx, target)),
    }));
  }
}
