import { Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { SigningKeysStore } from '../../domain/signing-keys/signing-keys.store.js';
import { hasMore, shownTime } from '../shared/answers.js';
import { ApiController } from '../shared/api-controller.js';
import { listAnswer } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { listQuery } from '../shared/pages/page-parameters.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';

const readerAnswer = z.object({
  /** Keyed hash of an address. */
  id: z.string(),
  reads: z.string(),
  firstReadAt: shownTime,
  lastReadAt: shownTime,
});
const affectedAnswer = z.object({
  id: idSchema,
  clientId: idSchema,
  name: z.string(),
  orgId: idSchema,
  grants: z.number().int(),
  hasMoreGrants: hasMore('Counting all grants stopped: it may have more.'),
});

/** Whom a change of keys touches, one by one: the numbers alone stand with the keys (signing-keys.controller.ts). */
@ApiController('admin/v1/keys')
export class KeySetAudienceController {
  constructor(private readonly keys: SigningKeysStore) {}

  @Get('readers')
  @Operation({
    summary: 'List who fetched the key set, latest first seen first',
    permission: 'iam.web_key.read',
    answer: listAnswer(readerAnswer),
  })
  async readers(@Query({ schema: listQuery }) page: z.output<typeof listQuery>) {
    return await this.keys.listKeySetReaders(page);
  }

  @Get('affected')
  @Operation({
    summary: 'List the applications with living grants, which an instant change of keys touches',
    permission: 'iam.web_key.read',
    answer: listAnswer(affectedAnswer),
  })
  async affected(@Query({ schema: listQuery }) page: z.output<typeof listQuery>) {
    return await this.keys.listAffectedApplications(page);
  }
}
