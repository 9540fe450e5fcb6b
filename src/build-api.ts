import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from './api.module.js';
import type { AppConfig } from './config/config.js';
import { ImportsStore } from './domain/imports/imports.store.js';
import { RecordQueueAction } from './domain/maintenance/record-queue-action.js';
import { NotifyRequestDelay } from './domain/request-delay/notify-request-delay.js';
import type { Clock } from './domain/shared/clock.js';
import type { Log } from './domain/shared/log.js';
import { mountQueueDashboard } from './http/admin-api/queue-dashboard.js';
import { openApiDocument } from './http/openapi/document.js';
import { ReadDocument } from './http/openapi/read-document.js';
import { DashboardAccess } from './http/shared/dashboard-access.js';
import { createApp } from './http/shared/server/create-app.js';
import { measureHttp } from './ops/http-metrics.js';
import { Metrics } from './ops/metrics.js';
import { NestLog } from './ops/pino-log.js';
import { JobQueues } from './queues/job-queues.js';

/** Of the APIs' paths, which all say `v1`. */
const API_VERSION = '1.0.0';

/** The whole API of one replica, not yet listening: the module's routes, the queue dashboard, the measurements. */
export async function buildApi(config: AppConfig, log: Log, clock?: Clock): Promise<NestFastifyApplication> {
  const app = await createApp(ApiModule.with(config, log, clock), config, log, new NestLog(log));
  app.get(ReadDocument, { strict: false }).document = () =>
    openApiDocument(app, config.issuer.url, API_VERSION);
  const fastify = app.getHttpAdapter().getInstance();
  measureHttp(fastify, app.get(Metrics, { strict: false }), app.get(NotifyRequestDelay, { strict: false }));
  const queues = app.get(JobQueues, { strict: false });
  const access = app.get(DashboardAccess);
  const imports = app.get(ImportsStore, { strict: false });
  const record = app.get(RecordQueueAction);
  await mountQueueDashboard(app, {
    queues: queues.all,
    writable: config.queues.dashboardWrites,
    origin: config.issuer.url,
    findTitles: (ids) => imports.titles(ids),
    record: (action) => record.execute(action),
    available: () => queues.isUp('notifications'),
    allow: (request) => access.decide(request),
    sendForbidden: (request, reply) => access.sendForbidden(request, reply),
  });
  return app;
}
