import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { ChangeUserMetadata, metadataNotFound } from '../../domain/accounts/change-user-metadata.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
import { isLongerThan, isPlainText } from '../../domain/users/text-rules.js';
import { UserMetadataStore, type UserMetadata } from '../../domain/users/user-metadata.store.js';
import { changedSchema, listSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, isStorable, readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageField, pageQuery, type ListResponse } from '../shared/lists.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const LONGEST_KEY = 200;
const MOST_BYTES = 500_000;
const USER_ID = new PathId(userNotFound);

/** `value`: bytes as standard base64 (protocol §0.1). */
export const readMetadataValue = bodyReader({
  value: z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .transform((text, context) => {
      const value = Buffer.from(text, 'base64');
      if (text !== '' && value.toString('base64') === text && value.length <= MOST_BYTES) return value;
      const message = `must be base64 of 1 to ${MOST_BYTES} bytes`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }),
});
export const readMetadataSearch = bodyReader({
  query: pageField,
  /** Keys that begin so. */
  keyStartsWith: z
    .string({ error: 'must be a string' })
    .max(LONGEST_KEY, 'is too long')
    .refine(isStorable, 'must not contain control characters')
    .default(''),
});

const metadataSchema = z.strictObject({
  key: z.string(),
  value: z.base64(),
  details: readDetailsSchema,
});

export interface MetadataResponse {
  readonly metadata: {
    readonly key: string;
    readonly value: string;
    readonly details: DetailsResponse;
  };
}

/** What others keep about a user of the organization that the call acts in. */
@ApiController('management/v1/users/:id/metadata')
export class UserMetadataController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly metadata: UserMetadataStore,
    private readonly changeMetadata: ChangeUserMetadata,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @Documented({
    summary: 'List the metadata of a user',
    body: readMetadataSearch,
    answer: listSchema(metadataSchema),
  })
  @RequiresPermission('user.read')
  async search(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<ListResponse<MetadataResponse['metadata']>> {
    const { query, keyStartsWith } = readMetadataSearch(call.body ?? {});
    const user = await this.findUser.find(call.orgId, id as UserId);
    const page = await this.metadata.list(call.orgId, user.id, keyStartsWith, pageQuery({ query }));
    return listResponse(page, shown);
  }

  @Get(':key')
  @Documented({ summary: 'Find metadata of a user', answer: z.strictObject({ metadata: metadataSchema }) })
  @RequiresPermission('user.read')
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('id', USER_ID) id: string,
    @Param('key') key: string,
  ): Promise<MetadataResponse> {
    const user = await this.findUser.find(orgId, id as UserId);
    const found = isKey(key) ? await this.metadata.find(orgId, user.id, key) : undefined;
    if (found === undefined) throw metadataNotFound();
    return { metadata: shown(found) };
  }

  @Put(':key')
  @Documented({
    summary: 'Set metadata of a user',
    description: 'Keys have 1 to 200 characters. A user has at most 200 of them, and 1 MB in all.',
    body: readMetadataValue,
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async replace(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Param('key') key: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.set(call, id, key);
  }

  @Post(':key')
  @HttpCode(200)
  @Documented({
    summary: 'Set metadata of a user, as PUT does',
    body: readMetadataValue,
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async add(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Param('key') key: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.set(call, id, key);
  }

  @Delete(':key')
  @Documented({ summary: 'Remove metadata of a user', answer: changedSchema })
  @RequiresPermission('user.write')
  async remove(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Param('key') key: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    if (!isKey(key)) throw metadataNotFound();
    const target = { orgId: call.orgId, userId: id as UserId, ...call.acting };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.changeMetadata.remove(tx, target, key)),
    }));
  }

  private async set(call: ApiCall, id: string, key: string): Promise<{ details: DetailsResponse }> {
    if (!isKey(key)) {
      throw new ApiError('invalid-argument', `the key must have 1 to ${LONGEST_KEY} plain characters`);
    }
    const { value } = readMetadataValue(call.body);
    const target = { orgId: call.orgId, userId: id as UserId, ...call.acting };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.changeMetadata.set(tx, target, key, value)),
    }));
  }
}

function isKey(key: string): boolean {
  return key !== '' && !isLongerThan(LONGEST_KEY, key) && isPlainText(key);
}

function shown({ key, value, details }: UserMetadata): MetadataResponse['metadata'] {
  return { key, value: value.toString('base64'), details: readDetails(details) };
}
