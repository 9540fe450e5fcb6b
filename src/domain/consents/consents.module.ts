import { Module } from '@nestjs/common';
import { ManageConsents } from './manage-consents.js';

/** What users agreed that applications may do in their name. */
@Module({ providers: [ManageConsents], exports: [ManageConsents] })
export class ConsentsModule {}
