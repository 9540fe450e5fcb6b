import { Delete, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { blockNotFound, LiftBlocks } from '../../domain/notifications/abuse/lift-blocks.js';
import { SmsLimitsStore } from '../../domain/notifications/abuse/sms-limits.store.js';
import type { PageQuery } from '../../domain/shared/page.js';
import { changeAnswer, detailsOfRecord, shownTime } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { orderedListQuery } from '../shared/pages/page-parameters.js';
import { PathId } from '../shared/path-id.js';

const smsBlockAnswer = z.object({
  /** What all its numbers begin with. */
  prefix: z.string(),
  reason: z.string(),
  blockedUntil: shownTime,
  details: detailsOfRecord,
});

/** Query of `sms_blocks`; one is named by its prefix. */
const smsBlockListQuery = orderedListQuery({
  sortedBy: {
    SMS_BLOCK_FIELD_NAME_UNSPECIFIED: 'createdAt',
    SMS_BLOCK_FIELD_NAME_PREFIX: 'name',
    SMS_BLOCK_FIELD_NAME_BLOCKED_UNTIL: 'blockedUntil',
    SMS_BLOCK_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
  filters: {},
  isNamed: true,
});

/** Which blocks of numbers get no SMS for now, in the whole instance. */
@ApiController('admin/v1/sms_blocks')
export class SmsBlocksController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly limits: SmsLimitsStore,
    private readonly lift: LiftBlocks,
  ) {}

  @Get()
  @Operation({
    summary: 'List the blocks of numbers that get no SMS for now',
    description: 'Because hardly a code came back from there, or on the word of a provider.',
    permission: 'iam.read',
    answer: listAnswer(smsBlockAnswer),
  })
  async list(@Query({ schema: smsBlockListQuery }) page: PageQuery) {
    return await this.limits.listBlocks(page);
  }

  @Delete(':prefix')
  @Operation({
    summary: 'Have numbers get SMS again',
    description: 'What was sent there so far no longer counts against them.',
    permission: 'iam.write',
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('prefix', new PathId(blockNotFound)) prefix: string,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => this.lift.execute(tx, prefix, call.caller));
  }
}
