import { Delete, Get, Param, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { AccountChange } from '../../domain/accounts/account-changes.js';
import { EndSessionsOfUser, sessionNotFound } from '../../domain/accounts/end-sessions-of-user.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { SessionId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  END_SESSIONS_DESCRIPTION,
  endSessionsQuery,
  sessionsAnswer,
} from '../shared/schemas/session.schemas.js';
import { AsksFor } from '../shared/self.guard.js';
import { ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

const Session = () => Param('session', new PathId(sessionNotFound));

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
  @Operation({ summary: 'List the own sessions', answer: sessionsAnswer })
  async list(@CallerParam() { orgId, userId }: Caller) {
    return { result: await this.sessions.listOfUser(orgId, userId) };
  }

  @Delete()
  @AsksFor('write')
  @Operation({
    summary: 'End all own sessions',
    description: END_SESSIONS_DESCRIPTION,
    answer: changeAnswer,
  })
  async endAll(
    @Call() call: ApiCall,
    @Query({ schema: endSessionsQuery }) how: z.output<typeof endSessionsQuery>,
  ): Promise<WireAnswer> {
    return await this.end(call, (tx, own) => this.endSessions.all(tx, own, how));
  }

  @Delete(':session')
  @AsksFor('write')
  @Operation({ summary: 'End an own session', answer: changeAnswer })
  async endOne(
    @Call() call: ApiCall,
    @Session() session: SessionId,
    @Query({ schema: nothingBody }) _query: object,
  ): Promise<WireAnswer> {
    return await this.end(call, (tx, own) => this.endSessions.one(tx, own, session));
  }

  private async end(
    call: ApiCall,
    change: (tx: Tx, own: AccountChange) => Promise<ResourceDetails>,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => change(tx, ownAccount(call)));
  }
}
