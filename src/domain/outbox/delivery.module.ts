import { Module } from '@nestjs/common';
import { ClaimAndDeliver } from './claim-and-deliver.js';

/** How a worker delivers what the outbox has queued. */
@Module({ providers: [ClaimAndDeliver], exports: [ClaimAndDeliver] })
export class DeliveryModule {}
