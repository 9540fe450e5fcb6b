import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Global, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Config } from '../config/config.js';
import { QueueDepths } from '../domain/maintenance/queue-depths.js';
import { Log } from '../domain/shared/log.js';
import { BullQueueDepths } from './bull-queue-depths.js';
import type { BullQueueName } from './job-contract.js';
import { BULL_QUEUE_NAMES, JobQueues } from './job-queues.js';
import { QueueConnection } from './queue-connection.js';
import { QueueWorker } from './queue-worker.js';

BullModule.workerClass = QueueWorker;

@Module({
  providers: [
    {
      provide: QueueConnection,
      inject: [Config, Log],
      useFactory: (config: Config, log: Log): Promise<QueueConnection> =>
        QueueConnection.open(config.app, log),
    },
  ],
  exports: [QueueConnection],
})
class QueueConnectionModule {}

const queues = BullModule.registerQueue(...BULL_QUEUE_NAMES.map((name) => ({ name })));

/**
 * The queues, for both processes. Workers are started by hand, in the worker process only. Global, as it binds a contract that
 * domain declares.
 */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      imports: [QueueConnectionModule],
      inject: [QueueConnection, Config],
      useFactory: (connection: QueueConnection, config: Config) => ({
        connection: connection.options,
        prefix: config.app.queues.prefix,
        // the version check asks Redis once, when the queue is made, and a queue whose question failed stays broken
        skipVersionCheck: true,
        streams: { events: { maxLen: 1_000 } },
      }),
      extraOptions: { manualRegistration: true },
    }),
    queues,
  ],
  providers: [
    {
      provide: JobQueues,
      inject: [Log, ...BULL_QUEUE_NAMES.map((name) => getQueueToken(name))],
      useFactory: (log: Log, ...all: Queue[]): JobQueues =>
        new JobQueues(new Map(all.map((queue) => [queue.name as BullQueueName, queue])), log),
    },
    { provide: QueueDepths, useClass: BullQueueDepths },
  ],
  exports: [JobQueues, QueueDepths, queues],
})
export class QueuesModule {}
