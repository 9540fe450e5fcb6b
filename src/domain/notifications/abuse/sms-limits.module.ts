import { Module } from '@nestjs/common';
import { AdmitSms } from './admit-sms.js';
import { BlockPrefixes } from './block-prefixes.js';
import { LiftBlocks } from './lift-blocks.js';
import { SmsPrefixes } from './sms-prefixes.js';

const useCases = [AdmitSms, BlockPrefixes, LiftBlocks];

/** What keeps somebody from having messages sent at our cost. */
@Module({
  providers: [...useCases, { provide: SmsPrefixes, useExisting: BlockPrefixes }],
  exports: [...useCases, SmsPrefixes],
})
export class SmsLimitsModule {}
