import { Module } from '@nestjs/common';
import { ClaimsWebhooksStore } from '../../../domain/claims-webhook/claims-webhooks.store.js';
import { WebhookDeliveriesStore } from '../../../domain/webhooks/webhook-deliveries.store.js';
import { WebhooksStore } from '../../../domain/webhooks/webhooks.store.js';
import { PgClaimsWebhooksStore } from '../claims-webhook/claims-webhooks.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgWebhookDeliveriesStore } from './webhook-deliveries.store.js';
import { PgWebhooksStore } from './webhooks.store.js';

/** Where events go and how far they have got, and who is asked for claims. */
@Module(
  storeBindings(
    [WebhooksStore, PgWebhooksStore],
    [WebhookDeliveriesStore, PgWebhookDeliveriesStore],
    [ClaimsWebhooksStore, PgClaimsWebhooksStore],
  ),
)
export class WebhooksStorageModule {}
