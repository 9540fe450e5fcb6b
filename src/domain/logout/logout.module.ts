import { Module } from '@nestjs/common';
import { DeliveryModule } from '../outbox/delivery.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { DeliverLogout } from './deliver-logout.js';
import { LogoutTokens } from './logout-tokens.js';

const useCases = [LogoutTokens, DeliverLogout];

/** Notifies applications that a session has ended (OpenID Connect Back-Channel Logout 1.0). */
@Module({ imports: [DeliveryModule, TokensModule], providers: useCases, exports: useCases })
export class LogoutModule {}
