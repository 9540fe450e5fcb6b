import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Config, type AppConfig } from '../config/config.js';
import { Log } from '../domain/shared/log.js';
import { EndWhenStuck } from './end-when-stuck.js';
import { Health, type HealthReport } from './health.js';
import { Metrics } from './metrics.js';

export type ProcessKind = 'api' | 'worker';
const DEFAULT_PORTS: Readonly<Record<ProcessKind, number>> = { api: 9464, worker: 9465 };

/** Which of the two processes this is. */
export class ProcessIdentity {
  constructor(readonly kind: ProcessKind) {}
}

/**
 * The operators' door: `/livez`, `/healthz`, `/readyz`, `/metrics` on a port of its own, loopback unless configured
 * otherwise. Four fixed paths, no input, no dependency of the public port's: it answers when that one cannot.
 */
@Injectable()
export class OpsListener implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly identity: ProcessIdentity,
    private readonly health: Health,
    private readonly endWhenStuck: EndWhenStuck,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.server = createServer((request, response) => void this.answer(request, response));
    await listenForOps(this.server, this.config.app, this.identity.kind, this.log);
  }

  beforeApplicationShutdown(): void {
    this.health.startDraining();
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const path = request.url?.split('?', 1)[0] ?? '';
    switch (path) {
      case '/livez':
        // for what kills whoever fails it
        return sendReport(response, await this.endWhenStuck.mendable());
      case '/healthz':
        return sendReport(response, await this.health.live());
      case '/readyz':
        return sendReport(response, await this.health.ready(), {
          connected: this.health.connected(),
          notices: await this.health.noticed(),
        });
      case '/metrics':
        return await this.sendMetrics(response);
      default:
        response.writeHead(404).end();
    }
  }

  private async sendMetrics(response: ServerResponse): Promise<void> {
    try {
      const text = await this.metrics.render();
      response.writeHead(200, { 'content-type': this.metrics.contentType }).end(text);
    } catch (error) {
      this.log.error('metrics could not be collected', error);
      response.writeHead(500).end();
    }
  }
}

/** On the port of this kind of process, also before there is an application. */
export async function listenForOps(
  server: Server,
  config: Pick<AppConfig, 'ops'>,
  kind: ProcessKind,
  log: Pick<Log, 'info'>,
): Promise<void> {
  const { host, port = DEFAULT_PORTS[kind] } = config.ops;
  server.requestTimeout = 5_000;
  server.headersTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`OPS_PORT ${port} on ${host} cannot be used`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  log.info('ops listener ready', { host, port: typeof address === 'object' ? address?.port : port });
}

export function sendReport(
  response: ServerResponse,
  { healthy, failing }: HealthReport,
  more: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): void {
  const told = Object.entries(more).filter(([, words]) => Object.keys(words).length > 0);
  const body = {
    ...(healthy ? { status: 'ok' } : { status: 'failing', failing }),
    ...Object.fromEntries(told),
  };
  response.writeHead(healthy ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
