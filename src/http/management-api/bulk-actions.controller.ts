import { Body, Get, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { BeginBulkAction } from '../../domain/bulk-actions/begin-bulk-action.js';
import { bulkActionNotFound } from '../../domain/bulk-actions/bulk-action.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { BulkActionId, OrgId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  begunBulkActionAnswer,
  bulkActionAnswer,
  bulkActionBody,
  bulkFailureAnswer,
  bulkFailureSearchBody,
} from './bulk-action.schemas.js';

const BulkActionParam = () => Param('bulkActionId', new PathId(bulkActionNotFound));

/** One action on many users of the organization, done by workers. */
@ApiController('management/v1/users/_bulk')
export class BulkActionsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly bulkActions: BeginBulkAction,
  ) {}

  @Post()
  @Operation({
    summary: 'Do something to many users',
    description:
      'To as many as 10,000, named or found. Workers do it after the answer, one user after the other, under the rules of the ' +
      'single calls, with an event for each and one for the begin and the end. Whoever may not do it to one of them, or to themselves, reads why among the ' +
      'failures.',
    permission: 'user.write',
    stepUp: 'always',
    expects: true,
    answer: begunBulkActionAnswer,
  })
  async begin(
    @Call() call: ApiCall,
    @Body({ schema: bulkActionBody }) { action, chosen }: z.output<typeof bulkActionBody>,
  ): Promise<WireAnswer> {
    const plan = { orgId: call.orgId, action, ...call.askedWith, ...call.acting };
    return await this.idempotentRequests.answer(call, async () => {
      const userIds = await this.bulkActions.choose(call.orgId, chosen);
      return async (tx) => await this.bulkActions.begin(tx, plan, userIds);
    });
  }

  @Get(':bulkActionId')
  @Operation({
    summary: 'Ask how far an action on many users is',
    description: 'It is kept for a month after its end; of each organization, the last 100 are.',
    permission: 'user.read',
    answer: z.object({ bulkAction: bulkActionAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @BulkActionParam() id: BulkActionId) {
    return { bulkAction: await this.bulkActions.find(orgId, id) };
  }

  @Post(':bulkActionId/failures/_search')
  @Operation({
    summary: 'Search those whom an action on many users failed for, and why',
    description: 'In the order of the names of the users, or of when they were created.',
    permission: 'user.read',
    answer: listAnswer(bulkFailureAnswer),
  })
  async failures(
    @ActingOrg() orgId: OrgId,
    @BulkActionParam() id: BulkActionId,
    @Body({ schema: bulkFailureSearchBody }) search: z.output<typeof bulkFailureSearchBody>,
  ) {
    return await this.bulkActions.listFailures(orgId, id, pageQuery(search));
  }

  @Post(':bulkActionId/_cancel')
  @Operation({
    summary: 'Cancel an action on many users',
    description: 'What was done stays done.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async cancel(@Call() call: ApiCall, @BulkActionParam() id: BulkActionId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.bulkActions.cancel(tx, call.orgId, id, call.acting.actorId),
    );
  }
}
