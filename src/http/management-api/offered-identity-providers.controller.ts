import { Get } from '@nestjs/common';
import { z } from 'zod';
import { PROVIDER_KINDS } from '../../domain/identity-providers/identity-provider.js';
import {
  IdentityProvidersStore,
  type IdentityProviderRecord,
} from '../../domain/identity-providers/identity-providers.store.js';
import { answerFrom } from '../shared/answers.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';

/** As long as the longest list of the API. */
const MOST = 1_000;

const offeredAnswer = answerFrom(
  z.object({ id: idSchema, name: z.string(), kind: z.enum(PROVIDER_KINDS) }),
  ({ provider: { id, name, kind } }: IdentityProviderRecord) => ({ id, name, kind }),
);

/** What an organization can choose from: no more of a provider of the instance than its button shows. */
@ApiController('management/v1/idps/_instance')
export class OfferedIdentityProvidersController {
  constructor(private readonly providers: IdentityProvidersStore) {}

  @Get()
  @Operation({
    summary: 'List the active identity providers of the instance, which a login policy can name',
    permission: 'policy.read',
    answer: z.object({ result: z.array(offeredAnswer).readonly() }),
  })
  async list() {
    const { items } = await this.providers.list(null, { limit: MOST, offset: 0, ascending: true });
    return { result: items.filter(({ state }) => state === 'active') };
  }
}
