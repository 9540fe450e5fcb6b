import { Module } from '@nestjs/common';
import { AskForClaims } from './ask-for-claims.js';
import { ManageClaimsWebhook } from './manage-claims-webhook.js';

const useCases = [AskForClaims, ManageClaimsWebhook];

/** Claims that somebody else's server adds. */
@Module({ providers: useCases, exports: useCases })
export class ClaimsWebhookModule {}
