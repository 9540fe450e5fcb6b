import { Module } from '@nestjs/common';
import { CheckSessionController } from './check-session.controller.js';

/** Only where applications may watch sessions: elsewhere there is no such address. */
@Module({ controllers: [CheckSessionController] })
export class SessionManagementModule {}
