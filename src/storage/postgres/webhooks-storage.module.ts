import { Module } from '@nestjs/common';
import { WebhookDeliveriesStore } from '../../domain/webhooks/webhook-deliveries.store.js';
import { WebhooksStore } from '../../domain/webhooks/webhooks.store.js';
import { storeBindings } from './store-bindings.js';
import { PgWebhookDeliveriesStore } from './webhooks/webhook-deliveries.store.js';
import { PgWebhooksStore } from './webhooks/webhooks.store.js';

/** Where events go, and how far they have got. */
@Module(storeBindings([WebhooksStore, PgWebhooksStore], [WebhookDeliveriesStore, PgWebhookDeliveriesStore]))
export class WebhooksStorageModule {}
