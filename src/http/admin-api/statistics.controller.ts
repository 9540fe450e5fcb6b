import { Get, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { OrgId } from '../../domain/shared/ids.js';
import { FindStatistics, type Statistics } from '../../domain/statistics/find-statistics.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import {
  instanceStatisticsQuery,
  smsByOrganizationAnswer,
  STATISTICS_RULES,
  statisticsAnswer,
  statisticsQuery,
} from '../shared/schemas/statistics.schemas.js';

/** What happened in the whole instance over time. */
@ApiController('admin/v1/statistics')
export class InstanceStatisticsController {
  constructor(private readonly findStatistics: FindStatistics) {}

  @Get()
  @Operation({
    summary: 'Count what happened in the instance',
    description:
      `${STATISTICS_RULES} Sign-ins that were refused before it was known whose they are count for the instance alone. ` +
      'An organization that nobody knows has none.',
    permission: 'iam.events.read',
    answer: statisticsAnswer,
  })
  async find(
    @Query({ schema: instanceStatisticsQuery }) { orgId, ...query }: z.output<typeof instanceStatisticsQuery>,
  ): Promise<Statistics> {
    return await this.findStatistics.execute({ ...query, orgId: orgId as OrgId | undefined });
  }

  @Get('sms_by_organization')
  @Operation({
    summary: 'List the organizations whose SMS cost most',
    description: 'By `SMS_COSTS`, in millionths of its currency. Organizations without SMS are left out.',
    permission: 'iam.events.read',
    answer: smsByOrganizationAnswer,
  })
  async findSms(@Query({ schema: statisticsQuery }) query: z.output<typeof statisticsQuery>) {
    return { organizations: await this.findStatistics.smsByOrganization(query) };
  }
}
