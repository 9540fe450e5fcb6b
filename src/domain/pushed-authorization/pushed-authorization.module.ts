import { Module } from '@nestjs/common';
import { AuthorizeModule } from '../authorize/authorize.module.js';
import { ClientAuthModule } from '../client-auth/client-auth.module.js';
import { DpopModule } from '../dpop/dpop.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { PushedAuthorizationEndpoint } from './pushed-authorization-endpoint.js';

/** Authorization requests that applications send by themselves (RFC 9126). */
@Module({
  imports: [AuthorizeModule, ClientAuthModule, DpopModule, TokensModule],
  providers: [PushedAuthorizationEndpoint],
  exports: [PushedAuthorizationEndpoint],
})
export class PushedAuthorizationModule {}
