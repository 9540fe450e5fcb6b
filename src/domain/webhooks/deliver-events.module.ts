import { Module } from '@nestjs/common';
import { DeliverEvents } from './deliver-events.js';

/** The delivery of events, which only workers do. */
@Module({ providers: [DeliverEvents], exports: [DeliverEvents] })
export class DeliverEventsModule {}
