import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Whether this process can do its work; the ops module knows. */
export abstract class ReadinessProbe {
  abstract isReady(): Promise<boolean>;
}

/** What the public port returns to a load balancer: two words, no details (protocol §12). */
@Controller('debug')
export class HealthController {
  constructor(private readonly readiness: ReadinessProbe) {}

  @Get('healthz')
  alive(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', 'no-store').type('text/plain').send('ok');
  }

  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const ready = await this.readiness.isReady();
    void reply
      .code(ready ? 200 : 412)
      .header('cache-control', 'no-store')
      .type('application/json')
      .send(JSON.stringify(ready ? 'ok' : 'not ready'));
  }
}
