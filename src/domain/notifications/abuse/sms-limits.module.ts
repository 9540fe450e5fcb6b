import { Module } from '@nestjs/common';
import { StatisticsModule } from '../../statistics/statistics.module.js';
import { AdmitSms } from './admit-sms.js';
import { BlockPrefixes } from './block-prefixes.js';
import { LiftBlocks } from './lift-blocks.js';
import { SmsCaps } from './sms-caps.js';
import { SmsPrefixes } from './sms-prefixes.js';

const useCases = [AdmitSms, BlockPrefixes, LiftBlocks];

/** What keeps somebody from having messages sent at our cost. */
@Module({
  imports: [StatisticsModule],
  providers: [...useCases, SmsCaps, { provide: SmsPrefixes, useExisting: BlockPrefixes }],
  exports: [...useCases, SmsPrefixes],
})
export class SmsLimitsModule {}
