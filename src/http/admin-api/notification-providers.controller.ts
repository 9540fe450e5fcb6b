import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import {
  ManageProviders,
  providerNotFound,
  type ProviderChange,
} from '../../domain/notifications/providers/manage-providers.js';
import { NotificationProvidersStore } from '../../domain/notifications/providers/notification-providers.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { ProviderId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { offsetQuery } from '../shared/pages/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { createdProviderAnswer, providerAnswer, providerBody } from './notification-provider.schemas.js';

const Id = () => Param('id', new PathId(providerNotFound));
const read = 'iam.notification_provider.read';
const write = 'iam.notification_provider.write';

/** Who carries mail and SMS out, for the whole instance. */
@ApiController('admin/v1/notification_providers')
export class NotificationProvidersController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly manage: ManageProviders,
    private readonly providers: NotificationProvidersStore,
  ) {}

  @Post()
  @Operation({
    summary: 'Add a provider of mail or SMS',
    description: 'It carries nothing before it is activated. Its secret is shown to nobody again.',
    permission: write,
    stepUp: 'always',
    answer: createdProviderAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: providerBody }) { plan, secret }: z.output<typeof providerBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) => this.manage.add(tx, plan, secret, call.caller));
  }

  @Get()
  @Operation({
    summary: 'List the providers',
    description: 'Those that the configuration names come last, as they do when a message is sent.',
    permission: read,
    answer: listAnswer(providerAnswer),
  })
  async list(@Query({ schema: offsetQuery }) page: z.output<typeof offsetQuery>) {
    return await this.providers.list(page);
  }

  @Get(':id')
  @Operation({ summary: 'Find a provider', permission: read, answer: z.object({ provider: providerAnswer }) })
  async find(@Id() id: ProviderId) {
    const provider = await this.providers.find(id);
    if (provider === undefined) throw providerNotFound();
    return { provider };
  }

  @Put(':id')
  @Operation({
    summary: 'Replace the settings of a provider',
    description: 'Without a secret the stored one stays, unless it would go to another server or account.',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Id() id: ProviderId,
    @Body({ schema: providerBody }) { plan, secret }: z.output<typeof providerBody>,
  ): Promise<WireAnswer> {
    return await this.change(call, id, (tx, change) => this.manage.replace(tx, change, plan, secret));
  }

  @Delete(':id')
  @Operation({ summary: 'Remove a provider', permission: write, answer: changeAnswer })
  async remove(@Call() call: ApiCall, @Id() id: ProviderId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, id, (tx, change) => this.manage.remove(tx, change));
  }

  @Post(':id/_activate')
  @Operation({
    summary: 'Have a provider carry messages',
    permission: write,
    stepUp: 'always',
    answer: changeAnswer,
  })
  async activate(@Call() call: ApiCall, @Id() id: ProviderId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, id, (tx, change) => this.manage.setState(tx, change, 'active'));
  }

  @Post(':id/_deactivate')
  @Operation({
    summary: 'Have a provider carry nothing more',
    permission: write,
    stepUp: 'always',
    answer: changeAnswer,
  })
  async deactivate(@Call() call: ApiCall, @Id() id: ProviderId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, id, (tx, change) => this.manage.setState(tx, change, 'inactive'));
  }

  private async change(
    call: ApiCall,
    id: ProviderId,
    write: (tx: Tx, change: ProviderChange) => Promise<ResourceDetails>,
  ): Promise<WireAnswer> {
    const answer = await this.idempotentRequests.change(call, (tx) =>
      write(tx, { id, actorId: call.caller }),
    );
    this.providers.forget();
    return answer;
  }
}
