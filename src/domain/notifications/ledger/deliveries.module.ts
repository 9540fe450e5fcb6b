import { Module } from '@nestjs/common';
import { StatisticsModule } from '../../statistics/statistics.module.js';
import { Ledger } from './ledger.js';
import { ReceiveReport } from './receive-report.js';
import { ReplayDeadLetters } from './replay-dead-letters.js';
import { VerifyReport } from './verify-report.js';

const useCases = [ReplayDeadLetters, Ledger, VerifyReport, ReceiveReport];

/** What became of each message, as providers report it too. */
@Module({ imports: [StatisticsModule], providers: useCases, exports: useCases })
export class DeliveriesModule {}
