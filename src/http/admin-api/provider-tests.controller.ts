import { HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { readEmailAddress } from '../../domain/imports/records/email-address.js';
import { readPhoneNumber } from '../../domain/imports/records/phone-number.js';
import { TestProvider, type TestOutcome } from '../../domain/notifications/providers/test-provider.js';
import type { ProviderId } from '../../domain/shared/ids.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { failedWithFields } from '../shared/delivery-bodies.js';
import { Documented } from '../shared/documented.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { PROVIDER_ID } from './notification-providers.controller.js';
import { readProviderTest } from './provider-bodies.js';

const testAnswer = z.strictObject({
  accepted: z.boolean(),
  providerMessageId: z.string().optional(),
  reason: z.string().optional(),
  failure: z.enum(['retryable', 'terminal', 'ambiguous']).optional(),
  retryAfter: z.string().optional(),
  said: z.string().optional(),
  ...failedWithFields,
});

export interface ProviderTestResponse {
  readonly accepted: boolean;
  /** The provider's name for the message. */
  readonly providerMessageId?: string;
  /** Why it was not accepted, as the ledger would say it. */
  readonly reason?: string;
  readonly failure?: 'retryable' | 'terminal' | 'ambiguous';
  readonly retryAfter?: string;
  /** The provider's own words, cut short. */
  readonly said?: string;
  readonly host?: string;
  readonly port?: number;
  /** What the connection met. */
  readonly cause?: string;
}

/** One message through one provider, to see whether it works. */
@ApiController('admin/v1/notification_providers')
export class ProviderTestsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly test: TestProvider,
    private readonly limits: CallerLimits,
  ) {}

  @Post(':id/_test')
  @HttpCode(200)
  @RequiresPermission('iam.notification_provider.test')
  @Documented({
    summary: 'Send a test message through a provider',
    description:
      'To the address or number in the body, at once, whether the provider is active or not. At most ten a minute. ' +
      'A provider that was paused, and takes it, is used again.',
    body: readProviderTest,
    answer: testAnswer,
  })
  async send(@Call() call: ApiCall, @Param('id', PROVIDER_ID) id: string): Promise<ProviderTestResponse> {
    const { to } = readProviderTest(call.body);
    const record = await this.test.find(id as ProviderId);
    const { provider } = record;
    const recipient = provider.channel === 'email' ? readEmailAddress(to) : readPhoneNumber(to);
    return await this.idempotentRequests.runOutside(call, async () => {
      await this.limits.admitTest(call.caller);
      const outcome = await this.test.send(provider, recipient);
      return async (tx) => {
        await this.test.record(tx, record, outcome, call.caller);
        return testResponse(outcome);
      };
    });
  }
}

function testResponse(outcome: TestOutcome): ProviderTestResponse {
  if (outcome.accepted) {
    const { providerMessageId } = outcome;
    return { accepted: true, ...(providerMessageId === undefined ? {} : { providerMessageId }) };
  }
  const { reason, failure, retryAfterSeconds, said, with: failedWith } = outcome;
  return {
    accepted: false,
    reason,
    failure,
    ...(retryAfterSeconds === undefined ? {} : { retryAfter: `${retryAfterSeconds}s` }),
    ...(said === undefined ? {} : { said }),
    ...failedWith,
  };
}
