import '../src/config/quiet-debug.js';
import os from 'node:os';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '../src/config/config.js';
import { crashAt } from '../src/config/crash-at.js';
import { armCrashPoint } from '../src/domain/shared/crash-point.js';
import { EndWhenStuck } from '../src/ops/end-when-stuck.js';
import { Health } from '../src/ops/health.js';
import { logUncaught } from '../src/ops/log-uncaught.js';
import { NestLog, PinoLog } from '../src/ops/pino-log.js';
import { waitForDatabase } from '../src/ops/wait-for-database.js';
import { watchLoop } from '../src/ops/watch-loop.js';
import { outboxQueuesOf } from '../src/queues/job-contract.js';
import { OutboxRelay } from '../src/queues/outbox-relay.js';
import { Tracing } from '../src/tracing/tracing.js';
import { AnnounceWorker } from './announce-worker.js';
import { Consumers } from './consumers.js';
import { Heartbeats } from './heartbeats.js';
import { ImportWatches } from './import-watches.js';
import { Schedules } from './schedules.js';
import { WebhookPump } from './webhook-pump.js';
import { WorkersModule } from './workers.module.js';

/** From SIGTERM to the end, whatever happens in between (security F15). */
const SHUTDOWN_MS = 19_500;

/** Of 40 steps between the most urgent process and the least. */
const NICER_BY = 10;

const config = loadConfig();
const log = new PinoLog({ level: config.logLevel, process: 'worker' });
logUncaught(log);
armCrashPoint(crashAt());

/** Requests and PostgreSQL take the cores first. Mails of the same process hardly feel it: they wait for others, not for a core. */
function makeWay(to: PinoLog): void {
  try {
    os.setPriority(Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority() + NICER_BY));
  } catch {
    to.debug('the priority of this process cannot be lowered');
  }
}

try {
  // before any thread is made: they inherit it
  if (config.imports.priority === 'requests' && config.queues.worked.includes('imports')) makeWay(log);
  // nothing is consumed against an old schema
  await waitForDatabase(config, 'worker', log);
  const app = await NestFactory.createApplicationContext(WorkersModule.with(config, log), {
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(() => process.exit(0), SHUTDOWN_MS));
  }
  await app.get(Tracing, { strict: false }).start('worker');
  app.get(Consumers).start();
  app.get(OutboxRelay).start(outboxQueuesOf(config.queues.worked));
  app.get(Heartbeats).start();
  app.get(AnnounceWorker).start();
  app.get(Schedules).start();
  if (config.queues.worked.includes('imports')) app.get(ImportWatches).start();
  if (config.queues.worked.includes('notifications-bulk')) app.get(WebhookPump).start();
  app.get(EndWhenStuck, { strict: false }).start();
  watchLoop('worker');
  log.info('worker ready', { queues: config.queues.worked.join(',') });
  await app.get(Health, { strict: false }).sayNoticed(log);
} catch (error) {
  log.error('the worker cannot start', error);
  process.exit(1);
}
