import { Body, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { readEmailAddress } from '../../domain/imports/records/email-address.js';
import { readPhoneNumber } from '../../domain/imports/records/phone-number.js';
import { ManageProviders, providerNotFound } from '../../domain/notifications/providers/manage-providers.js';
import { RecordProviderTest } from '../../domain/notifications/providers/record-provider-test.js';
import { SendTestMessage } from '../../domain/notifications/providers/send-test-message.js';
import type { ProviderId } from '../../domain/shared/ids.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { providerTestAnswer, providerTestBody } from './notification-provider.schemas.js';

/** One message through one provider, to see whether it works. */
@ApiController('admin/v1/notification_providers')
export class ProviderTestsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly providers: ManageProviders,
    private readonly sendTest: SendTestMessage,
    private readonly recordTest: RecordProviderTest,
    private readonly limits: CallerLimits,
  ) {}

  @Post(':id/_test')
  @Operation({
    summary: 'Send a test message through a provider',
    description:
      'To the address or number in the body, at once, whether the provider is active or not. At most ten a minute. ' +
      'A provider that was paused, and takes it, is used again.',
    permission: 'iam.notification_provider.test',
    answer: providerTestAnswer,
  })
  async send(
    @Call() call: ApiCall,
    @Param('id', new PathId(providerNotFound)) id: ProviderId,
    @Body({ schema: providerTestBody }) { to }: z.output<typeof providerTestBody>,
  ): Promise<WireAnswer> {
    const record = await this.providers.find(id);
    const { provider } = record;
    const recipient = provider.channel === 'email' ? readEmailAddress(to) : readPhoneNumber(to);
    return await this.idempotentRequests.answerOutside(call, async () => {
      await this.limits.admitTest(call.caller);
      const outcome = await this.sendTest.execute(provider, recipient);
      return async (tx) => {
        await this.recordTest.execute(tx, record, outcome, call.caller);
        return outcome;
      };
    });
  }
}
