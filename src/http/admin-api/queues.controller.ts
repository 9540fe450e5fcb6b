import { Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { FindQueues, type QueueView } from '../../domain/maintenance/find-queues.js';
import { FindStatistics, type JobStatistics } from '../../domain/statistics/find-statistics.js';
import { answerFrom, shown, shownTime } from '../shared/answers.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import { statisticsQuery } from '../shared/schemas/statistics.schemas.js';

const count = z.int();

const queueAnswer = answerFrom(
  z.object({
    name: z.string(),
    ...shown({ isPaused: z.boolean() }),
    counts: z
      .object({ waiting: count, active: count, delayed: count, failed: count, completed: count })
      .optional()
      .meta({ description: 'Left out while Redis does not answer.' }),
    heartbeatAge: z
      .string()
      .regex(/^\d+s$/)
      .optional()
      .meta({
        description: 'Since a worker last took a job from it: what grows beyond minutes has no worker.',
      }),
  }),
  ({ heartbeatAgeMs, ...queue }: QueueView) => ({
    ...queue,
    isPaused: queue.isPaused === true,
    heartbeatAge: heartbeatAgeMs === undefined ? undefined : `${Math.round(heartbeatAgeMs / 1000)}s`,
  }),
);

const jobStatisticsAnswer = z.object({
  name: z.string(),
  periods: z.array(z.object({ start: shownTime, completed: count, failed: count })).readonly(),
});

/** What the queues hold. Single jobs are for the dashboard to show. */
@ApiController('admin/v1/queues')
export class QueuesController {
  constructor(
    private readonly findQueues: FindQueues,
    private readonly findStatistics: FindStatistics,
  ) {}

  @Get()
  @Operation({
    summary: 'List the queues',
    description: 'How many jobs each of them holds in which state, and whether a worker takes any.',
    permission: 'queues.read',
    answer: z.object({ result: z.array(queueAnswer).readonly() }),
  })
  async list() {
    return { result: await this.findQueues.execute() };
  }

  @Get('statistics')
  @Operation({
    summary: 'Count the jobs of the queues over time',
    description:
      'Jobs that ended and attempts that failed, by the hour or day. Heartbeats are left out. Workers add what they have ' +
      'counted every ten seconds.',
    permission: 'queues.read',
    answer: z.object({ result: z.array(jobStatisticsAnswer).readonly() }),
  })
  async count(
    @Query({ schema: statisticsQuery }) query: z.output<typeof statisticsQuery>,
  ): Promise<{ readonly result: readonly JobStatistics[] }> {
    const names = (await this.findQueues.execute()).map(({ name }) => name);
    return { result: await this.findStatistics.ofQueues(names, query) };
  }
}
