import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../../domain/notifications/ledger/deliveries.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { ReportsController } from './reports.controller.js';

/** What providers report of messages. */
@Module({
  imports: [DeliveriesModule, HttpSharedModule],
  controllers: [ReportsController],
})
export class ProviderReportsModule {}
