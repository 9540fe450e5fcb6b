import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { redirectTo } from '../shared/redirect.js';

/** What people type who look for the administration: the dashboard, which has them sign in and says who may see it. */
@Controller('admin')
export class AdministrationController {
  @Get()
  show(@Res() reply: FastifyReply): void {
    void redirectTo(reply, '/admin/queues', 302);
  }
}
