import { Module } from '@nestjs/common';
import { DisconnectApplication } from './disconnect-application.js';
import { ManageConsents } from './manage-consents.js';

const useCases = [ManageConsents, DisconnectApplication];

/** What users agreed that applications may do in their name. */
@Module({ providers: useCases, exports: useCases })
export class ConsentsModule {}
