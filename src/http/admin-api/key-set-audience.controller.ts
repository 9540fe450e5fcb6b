import { Get, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  KeyAudienceStore,
  type AffectedApplication,
  type KeySetReader,
} from '../../domain/signing-keys/key-audience.store.js';
import { idSchema, listSchema } from '../shared/answer-schemas.js';
import { ApiController } from '../shared/api-controller.js';
import { Documented } from '../shared/documented.js';
import { listResponse, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const readerAnswer = z.strictObject({
  id: z.string(),
  reads: z.string(),
  firstReadAt: z.iso.datetime(),
  lastReadAt: z.iso.datetime(),
});
const affectedAnswer = z.strictObject({
  id: idSchema,
  clientId: idSchema,
  name: z.string(),
  orgId: idSchema,
  grants: z.number().int(),
});

export interface KeySetReaderResponse {
  /** Keyed hash of an address. */
  readonly id: string;
  readonly reads: string;
  readonly firstReadAt: string;
  readonly lastReadAt: string;
}

/** Whom a change of keys touches, one by one: the numbers alone stand with the keys (signing-keys.controller.ts). */
@ApiController('admin/v1/keys')
export class KeySetAudienceController {
  constructor(private readonly audience: KeyAudienceStore) {}

  @Get('readers')
  @RequiresPermission('iam.web_key.read')
  @Documented({
    summary: 'List who fetched the key set, latest first seen first',
    query: pageParameters,
    answer: listSchema(readerAnswer),
  })
  async readers(@Query() query: unknown): Promise<ListResponse<KeySetReaderResponse>> {
    return listResponse(await this.audience.readers(readPageParameters(query)), readerResponse);
  }

  @Get('affected')
  @RequiresPermission('iam.web_key.read')
  @Documented({
    summary: 'List the applications with living grants, which an instant change of keys touches',
    query: pageParameters,
    answer: listSchema(affectedAnswer),
  })
  async affected(@Query() query: unknown): Promise<ListResponse<AffectedApplication>> {
    return listResponse(
      await this.audience.affected(readPageParameters(query)),
      (application) => application,
    );
  }
}

function readerResponse({ id, reads, firstReadAt, lastReadAt }: KeySetReader): KeySetReaderResponse {
  return { id, reads, firstReadAt: firstReadAt.toISOString(), lastReadAt: lastReadAt.toISOString() };
}
