import { Module } from '@nestjs/common';
import { AuthorizeModule } from '../../domain/authorize/authorize.module.js';
import { ClientAuthModule } from '../../domain/client-auth/client-auth.module.js';
import { ClientRegistrationModule } from '../../domain/client-registration/client-registration.module.js';
import { ExternalSignInModule } from '../../domain/external-sign-in/external-sign-in.module.js';
import { GrantsModule } from '../../domain/grants/grants.module.js';
import { PushedAuthorizationModule } from '../../domain/pushed-authorization/pushed-authorization.module.js';
import { KeySetReadersModule } from '../../domain/signing-keys/key-set-readers.module.js';
import { SigningKeysModule } from '../../domain/signing-keys/signing-keys.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { AnswerSignOut } from './answer-sign-out.js';
import { AuthorizationRefusals } from './authorization-refusals.js';
import { AuthorizeController } from './authorize.controller.js';
import { ClientRequests } from './client-requests.js';
import { DeviceAuthorizationController } from './device-authorization.controller.js';
import { DiscoveryController } from './discovery.controller.js';
import { EndSessionController } from './end-session.controller.js';
import { IntrospectionController } from './introspection.controller.js';
import { KeysController } from './keys.controller.js';
import { PushedAuthorizationController } from './pushed-authorization.controller.js';
import { RevocationController } from './revocation.controller.js';
import { SignOutPages } from './sign-out-pages.js';
import { TokenController } from './token.controller.js';
import { UserinfoController } from './userinfo.controller.js';

/** The endpoints of OAuth and OpenID Connect. */
@Module({
  imports: [
    AuthorizeModule,
    ClientAuthModule,
    ClientRegistrationModule,
    ExternalSignInModule,
    GrantsModule,
    HttpSharedModule,
    KeySetReadersModule,
    PushedAuthorizationModule,
    SigningKeysModule,
  ],
  controllers: [
    DiscoveryController,
    KeysController,
    AuthorizeController,
    TokenController,
    DeviceAuthorizationController,
    PushedAuthorizationController,
    UserinfoController,
    IntrospectionController,
    RevocationController,
    EndSessionController,
  ],
  providers: [AnswerSignOut, AuthorizationRefusals, ClientRequests, SignOutPages],
})
export class OidcModule {}
