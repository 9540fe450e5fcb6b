import { Get } from '@nestjs/common';
import { z } from 'zod';
import { FindHealth, HEALTH_PARTS, HEALTH_REASONS, HEALTH_STATES } from '../../domain/health/find-health.js';
import { isAlive, type AnnouncedWorker } from '../../domain/maintenance/maintenance.store.js';
import { answerFrom, shownTime } from '../shared/answers.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';

const workerAnswer = answerFrom(
  z.object({
    id: z.string(),
    host: z.string(),
    version: z.string(),
    queues: z.array(z.string()).readonly(),
    startedAt: shownTime,
    seenAt: shownTime,
    alive: z
      .boolean()
      .meta({ description: 'False where it has said nothing for a minute, and did not say that it goes.' }),
  }),
  ({ ageMs: _, ...worker }: AnnouncedWorker & { readonly ageMs: number }) => ({
    ...worker,
    alive: isAlive({ ageMs: _ }),
  }),
);

/** How the instance is doing. Probes ask each process by itself, at its port for operators. */
@ApiController('admin/v1/health')
export class InstanceHealthController {
  constructor(private readonly findHealth: FindHealth) {}

  @Get()
  @Operation({
    summary: 'Tell how the instance is doing',
    description:
      'API, PostgreSQL, Redis, workers, queues and mail, each with the reason where it is not well, and the workers.',
    permission: 'queues.read',
    answer: z.object({
      parts: z
        .array(
          z.object({
            name: z.enum(HEALTH_PARTS),
            state: z.enum(HEALTH_STATES),
            reason: z.enum(HEALTH_REASONS).optional(),
          }),
        )
        .readonly(),
      workers: z.array(workerAnswer).readonly(),
    }),
  })
  async find() {
    return await this.findHealth.execute();
  }
}
