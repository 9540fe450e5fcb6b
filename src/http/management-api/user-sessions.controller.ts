import { Delete, Get, Param, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { AccountChange } from '../../domain/accounts/account-changes.js';
import { EndSessionsOfUser, sessionNotFound } from '../../domain/accounts/end-sessions-of-user.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId, SessionId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  END_SESSIONS_DESCRIPTION,
  endSessionsQuery,
  sessionsAnswer,
} from '../shared/schemas/session.schemas.js';
import { User } from './users.controller.js';

const Session = () => Param('session', new PathId(sessionNotFound));
const write = 'user.write';

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
  @Operation({ summary: 'List the sessions of a user', permission: 'user.read', answer: sessionsAnswer })
  async list(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    const user = await this.findUser.find(orgId, id);
    return { result: await this.sessions.listOfUser(orgId, user.id) };
  }

  @Delete()
  @Operation({
    summary: 'End all sessions of a user',
    description: END_SESSIONS_DESCRIPTION,
    permission: write,
    answer: changeAnswer,
  })
  async endAll(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Query({ schema: endSessionsQuery }) how: z.output<typeof endSessionsQuery>,
  ): Promise<WireAnswer> {
    return await this.end(call, id, (tx, target) => this.endSessions.all(tx, target, how));
  }

  @Delete(':session')
  @Operation({ summary: 'End a session of a user', permission: write, answer: changeAnswer })
  async endOne(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Session() session: SessionId,
    @Query({ schema: nothingBody }) _query: object,
  ): Promise<WireAnswer> {
    return await this.end(call, id, (tx, target) => this.endSessions.one(tx, target, session));
  }

  private async end(
    call: ApiCall,
    userId: UserId,
    change: (tx: Tx, target: AccountChange) => Promise<ResourceDetails>,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => change(tx, target));
  }
}
