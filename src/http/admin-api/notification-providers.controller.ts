import { Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import {
  ManageProviders,
  providerNotFound,
  type ProviderChange,
} from '../../domain/notifications/providers/manage-providers.js';
import { NotificationProvidersStore } from '../../domain/notifications/providers/notification-providers.store.js';
import {
  ProviderRecordsStore,
  type ProviderRecord,
  type ProviderState,
} from '../../domain/notifications/providers/provider-records.store.js';
import type { ProviderKind } from '../../domain/notifications/providers/provider.js';
import type { ProviderId } from '../../domain/shared/ids.js';
import {
  changedSchema,
  createdDetailsSchema,
  idSchema,
  listSchema,
  readDetailsSchema,
} from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import {
  changedDetails,
  createdDetails,
  readDetails,
  type DetailsResponse,
} from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { providerPlan, readProvider } from './provider-bodies.js';

const STATES = { active: 'STATE_ACTIVE', inactive: 'STATE_INACTIVE' } as const;

const providerAnswer = z.strictObject({
  id: idSchema,
  details: readDetailsSchema.optional(),
  state: z.enum(Object.values(STATES)),
  source: z.enum(['api', 'configuration']),
  kind: z.enum(['smtp', 'twilio_messages', 'twilio_verify', 'http']),
  channel: z.enum(['email', 'sms']),
  name: z.string(),
  priority: z.number().int(),
  ratePerSecond: z.number().int().optional(),
  connections: z.number().int(),
  host: z.string().optional(),
  port: z.number().int().optional(),
  tls: z.enum(['implicit', 'starttls', 'opportunistic', 'none']).optional(),
  user: z.string().optional(),
  from: z.string().optional(),
  replyTo: z.string().optional(),
  accountSid: z.string().optional(),
  messagingServiceSid: z.string().optional(),
  verifyServiceSid: z.string().optional(),
  url: z.string().optional(),
});

/** Everything but the secret, which nobody is shown. */
export interface ProviderResponse {
  readonly id: string;
  /** Of a stored one. */
  readonly details?: DetailsResponse;
  readonly state: (typeof STATES)[ProviderState];
  readonly source: 'api' | 'configuration';
  readonly kind: ProviderKind;
  readonly channel: 'email' | 'sms';
  readonly name: string;
  readonly priority: number;
  readonly ratePerSecond?: number;
  readonly connections: number;
  /** The settings of its kind, each under the name that it was given by. */
  readonly [setting: string]: unknown;
}

export interface CreatedProviderResponse {
  readonly id: string;
  readonly details: DetailsResponse;
}

export interface ChangedProviderResponse {
  readonly details: DetailsResponse;
}

export const PROVIDER_ID = new PathId(providerNotFound);

/** Who carries mail and SMS out, for the whole instance. */
@ApiController('admin/v1/notification_providers')
export class NotificationProvidersController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly manage: ManageProviders,
    private readonly records: ProviderRecordsStore,
    private readonly providers: NotificationProvidersStore,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('iam.notification_provider.write')
  @Documented({
    summary: 'Add a provider of mail or SMS',
    description: 'It carries nothing before it is activated. Its secret is shown to nobody again.',
    body: readProvider,
    answer: z.strictObject({ id: idSchema, details: createdDetailsSchema }),
  })
  async add(@Call() call: ApiCall): Promise<CreatedProviderResponse> {
    const { plan, secret } = providerPlan(readProvider(call.body));
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { id, details } = await this.manage.add(tx, plan, secret, call.caller);
      return { id, details: createdDetails(details) };
    });
  }

  @Get()
  @RequiresPermission('iam.notification_provider.read')
  @Documented({
    summary: 'List the providers',
    description: 'Those that the configuration names come last, as they do when a message is sent.',
    query: pageParameters,
    answer: listSchema(providerAnswer),
  })
  async list(@Query() query: unknown): Promise<ListResponse<ProviderResponse>> {
    return listResponse(await this.records.list(readPageParameters(query)), providerResponse);
  }

  @Get(':id')
  @RequiresPermission('iam.notification_provider.read')
  @Documented({ summary: 'Find a provider', answer: z.strictObject({ provider: providerAnswer }) })
  async find(@Param('id', PROVIDER_ID) id: string): Promise<{ provider: ProviderResponse }> {
    const record = await this.records.find(id as ProviderId);
    if (record === undefined) throw providerNotFound();
    return { provider: providerResponse(record) };
  }

  @Put(':id')
  @RequiresPermission('iam.notification_provider.write')
  @Documented({
    summary: 'Replace the settings of a provider',
    description: 'Without a secret the stored one stays, unless it would go to another server or account.',
    body: readProvider,
    answer: changedSchema,
  })
  async replace(
    @Call() call: ApiCall,
    @Param('id', PROVIDER_ID) id: string,
  ): Promise<ChangedProviderResponse> {
    const { plan, secret } = providerPlan(readProvider(call.body));
    const answer = await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.replace(tx, changeOf(call, id), plan, secret)),
    }));
    this.providers.forget();
    return answer;
  }

  @Delete(':id')
  @RequiresPermission('iam.notification_provider.write')
  @Documented({ summary: 'Remove a provider', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('id', PROVIDER_ID) id: string,
  ): Promise<ChangedProviderResponse> {
    readNothing(call.body ?? {});
    const answer = await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.remove(tx, changeOf(call, id))),
    }));
    this.providers.forget();
    return answer;
  }

  @Post(':id/_activate')
  @HttpCode(200)
  @RequiresPermission('iam.notification_provider.write')
  @Documented({ summary: 'Have a provider carry messages', body: readNothing, answer: changedSchema })
  async activate(
    @Call() call: ApiCall,
    @Param('id', PROVIDER_ID) id: string,
  ): Promise<ChangedProviderResponse> {
    return await this.setState(call, id, 'active');
  }

  @Post(':id/_deactivate')
  @HttpCode(200)
  @RequiresPermission('iam.notification_provider.write')
  @Documented({ summary: 'Have a provider carry nothing more', body: readNothing, answer: changedSchema })
  async deactivate(
    @Call() call: ApiCall,
    @Param('id', PROVIDER_ID) id: string,
  ): Promise<ChangedProviderResponse> {
    return await this.setState(call, id, 'inactive');
  }

  private async setState(call: ApiCall, id: string, state: ProviderState): Promise<ChangedProviderResponse> {
    readNothing(call.body ?? {});
    const answer = await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.setState(tx, changeOf(call, id), state)),
    }));
    this.providers.forget();
    return answer;
  }
}

function changeOf({ caller }: ApiCall, id: string): ProviderChange {
  return { id: id as ProviderId, actorId: caller };
}

function providerResponse({ provider, state, details }: ProviderRecord): ProviderResponse {
  const { id, kind, channel, name, priority, ratePerSecond, connections, settings } = provider;
  return {
    id,
    ...(details === undefined ? {} : { details: readDetails(details) }),
    state: STATES[state],
    source: details === undefined ? 'configuration' : 'api',
    kind,
    channel,
    name,
    priority,
    ...(ratePerSecond === null ? {} : { ratePerSecond }),
    connections,
    ...settings,
  };
}
