import { Get, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { OrgId } from '../../domain/shared/ids.js';
import { FindStatistics, type Statistics } from '../../domain/statistics/find-statistics.js';
import { ApiController } from '../shared/api-controller.js';
import { ActingOrg } from '../shared/caller.js';
import { Operation } from '../shared/operation.js';
import { STATISTICS_RULES, statisticsAnswer, statisticsQuery } from '../shared/schemas/statistics.schemas.js';

/** What happened in the organization over time. */
@ApiController('management/v1/statistics')
export class StatisticsController {
  constructor(private readonly findStatistics: FindStatistics) {}

  @Get()
  @Operation({
    summary: 'Count what happened in the organization',
    description: STATISTICS_RULES,
    permission: 'events.read',
    answer: statisticsAnswer,
  })
  async find(
    @ActingOrg() orgId: OrgId,
    @Query({ schema: statisticsQuery }) query: z.output<typeof statisticsQuery>,
  ): Promise<Statistics> {
    return await this.findStatistics.execute({ ...query, orgId });
  }
}
