import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { ChangeUserMetadata, metadataNotFound } from '../../domain/accounts/change-user-metadata.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { FindUser } from '../../domain/users/find-user.js';
import { isLongerThan, isPlainText } from '../../domain/users/names/text-rules.js';
import { LONGEST_METADATA, UsersStore } from '../../domain/users/users.store.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import {
  metadataAnswer,
  metadataKey,
  metadataSearchBody,
  metadataValueBody,
} from './user-metadata.schemas.js';
import { User } from './users.controller.js';

const read = 'user.read';
const write = 'user.write';

/** What others keep about a user of the organization that the call acts in. */
@ApiController('management/v1/users/:id/metadata')
export class UserMetadataController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly users: UsersStore,
    private readonly changeMetadata: ChangeUserMetadata,
  ) {}

  @Post('_search')
  @Operation({
    summary: 'List the metadata of a user',
    permission: read,
    answer: listAnswer(metadataAnswer),
  })
  async search(
    @ActingOrg() orgId: OrgId,
    @User() id: UserId,
    @Body({ schema: metadataSearchBody }) search: z.output<typeof metadataSearchBody>,
  ) {
    const user = await this.findUser.find(orgId, id);
    const { query, keyStartsWith } = search;
    const page = pageQuery({ query }, { keyStartsWith });
    return await this.users.listMetadata(orgId, user.id, keyStartsWith, page);
  }

  @Get(':key')
  @Operation({
    summary: 'Find metadata of a user',
    permission: read,
    answer: z.object({ metadata: metadataAnswer }),
  })
  async find(
    @ActingOrg() orgId: OrgId,
    @User() id: UserId,
    @Param('key', { schema: metadataKey }) key: string,
  ) {
    const user = await this.findUser.find(orgId, id);
    const metadata = isKey(key) ? await this.users.findMetadata(orgId, user.id, key) : undefined;
    if (metadata === undefined) throw metadataNotFound();
    return { metadata };
  }

  @Put(':key')
  @Operation({
    summary: 'Set metadata of a user',
    description:
      'Keys have 1 to 200 characters. A user has at most 200 of them, and 1 MB in all. With `If-Match: "0"` a key is only ' +
      'added: 412 if the user has it already.',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Param('key', { schema: metadataKey }) key: string,
    @Body({ schema: metadataValueBody }) { value }: z.output<typeof metadataValueBody>,
  ): Promise<WireAnswer> {
    return await this.set(call, id, key, value);
  }

  @Post(':key')
  @Operation({ summary: 'Set metadata of a user, as PUT does', permission: write, answer: changeAnswer })
  async add(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Param('key', { schema: metadataKey }) key: string,
    @Body({ schema: metadataValueBody }) { value }: z.output<typeof metadataValueBody>,
  ): Promise<WireAnswer> {
    return await this.set(call, id, key, value);
  }

  @Delete(':key')
  @Operation({ summary: 'Remove metadata of a user', permission: write, answer: changeAnswer })
  async remove(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Param('key', { schema: metadataKey }) key: string,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    if (!isKey(key)) throw metadataNotFound();
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => this.changeMetadata.remove(tx, target, key));
  }

  private async set(call: ApiCall, userId: UserId, key: string, value: Buffer): Promise<WireAnswer> {
    if (!isKey(key)) {
      throw new ApiError(
        'invalid-argument',
        `the key must have 1 to ${LONGEST_METADATA.key} plain characters`,
      );
    }
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeMetadata.set(tx, target, key, value),
    );
  }
}

function isKey(key: string): boolean {
  return key !== '' && !isLongerThan(LONGEST_METADATA.key, key) && isPlainText(key);
}
