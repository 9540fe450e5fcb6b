import { Get } from '@nestjs/common';
import { z } from 'zod';
import { FindQueues, type QueueView } from '../../domain/maintenance/find-queues.js';
import { answerFrom, shown } from '../shared/answers.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';

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

/** What the queues hold. Single jobs are for the dashboard to show. */
@ApiController('admin/v1/queues')
export class QueuesController {
  constructor(private readonly findQueues: FindQueues) {}

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
}
