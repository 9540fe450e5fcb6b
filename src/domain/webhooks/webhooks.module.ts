import { Module } from '@nestjs/common';
import { ManageWebhooks } from './manage-webhooks.js';
import { TestWebhook } from './test-webhook.js';

const useCases = [ManageWebhooks, TestWebhook];

/** Where events go. */
@Module({ providers: useCases, exports: useCases })
export class WebhooksModule {}
