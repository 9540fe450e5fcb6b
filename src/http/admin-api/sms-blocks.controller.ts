import { Delete, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { blockNotFound, LiftBlocks } from '../../domain/notifications/abuse/lift-blocks.js';
import { SmsBlocksStore, type SmsBlock } from '../../domain/notifications/abuse/sms-blocks.store.js';
import { changedSchema, listSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const blockAnswer = z.strictObject({
  prefix: z.string(),
  reason: z.string(),
  blockedUntil: z.iso.datetime(),
  details: readDetailsSchema,
});

export interface SmsBlockResponse {
  /** What all its numbers begin with. */
  readonly prefix: string;
  readonly reason: string;
  readonly blockedUntil: string;
  readonly details: DetailsResponse;
}

export interface LiftedBlockResponse {
  readonly details: DetailsResponse;
}

const PREFIX = new PathId(blockNotFound);

/** Which blocks of numbers get no SMS for now, in the whole instance. */
@ApiController('admin/v1/sms_blocks')
export class SmsBlocksController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly blocks: SmsBlocksStore,
    private readonly lift: LiftBlocks,
  ) {}

  @Get()
  @RequiresPermission('iam.read')
  @Documented({
    summary: 'List the blocks of numbers that get no SMS for now',
    description: 'Because hardly a code came back from there, or on the word of a provider.',
    query: pageParameters,
    answer: listSchema(blockAnswer),
  })
  async list(@Query() query: unknown): Promise<ListResponse<SmsBlockResponse>> {
    return listResponse(await this.blocks.list(readPageParameters(query)), blockResponse);
  }

  @Delete(':prefix')
  @RequiresPermission('iam.write')
  @Documented({
    summary: 'Have numbers get SMS again',
    description: 'What was sent there so far no longer counts against them.',
    answer: changedSchema,
  })
  async remove(@Call() call: ApiCall, @Param('prefix', PREFIX) prefix: string): Promise<LiftedBlockResponse> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.lift.execute(tx, prefix, call.caller)),
    }));
  }
}

function blockResponse({ prefix, reason, blockedUntil, details }: SmsBlock): SmsBlockResponse {
  return { prefix, reason, blockedUntil: blockedUntil.toISOString(), details: readDetails(details) };
}
