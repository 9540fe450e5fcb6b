import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { redirectTo } from '../shared/pages/redirect.js';

/** What people type who look for the administration: the console, which has them sign in and shows what they may do. */
@Controller('admin')
export class AdministrationController {
  @Get()
  show(@Res() reply: FastifyReply): void {
    void redirectTo(reply, '/console', 302);
  }
}
