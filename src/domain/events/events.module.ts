import { Module } from '@nestjs/common';
import { EventLog } from './event-log.js';

/** The audit log. */
@Module({ providers: [EventLog], exports: [EventLog] })
export class EventsModule {}
