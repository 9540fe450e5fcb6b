import { Module } from '@nestjs/common';
import { Counters } from './counters.js';
import { FindStatistics } from './find-statistics.js';

const useCases = [Counters, FindStatistics];

/** What happens is counted, and shown over time. */
@Module({ providers: useCases, exports: useCases })
export class StatisticsModule {}
