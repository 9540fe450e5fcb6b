import { Module } from '@nestjs/common';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { ClientAuthModule } from '../client-auth/client-auth.module.js';
import { DpopModule } from '../dpop/dpop.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuthenticateServiceUser } from './authenticate-service-user.js';
import { AuthorizationCodeGrant } from './authorization-code.grant.js';
import { ClientCredentialsGrant } from './client-credentials.grant.js';
import { DeviceAuthorizationEndpoint } from './device-authorization-endpoint.js';
import { DeviceCodeGrant } from './device-code.grant.js';
import { ExchangeParties } from './exchange/exchange-parties.js';
import { ExchangeReach } from './exchange/exchange-reach.js';
import { ReadClientJwt } from './exchange/read-client-jwt.js';
import { ReadExchangedToken } from './exchange/read-exchanged-token.js';
import { RightToAct } from './exchange/right-to-act.js';
import type { GrantType } from './grant-type.js';
import { IntrospectionClaims } from './introspection-claims.js';
import { IntrospectionEndpoint } from './introspection-endpoint.js';
import { JwtProfileGrant } from './jwt-profile.grant.js';
import { RefreshTokenGrant } from './refresh-token.grant.js';
import { RevocationEndpoint } from './revocation-endpoint.js';
import { GrantRegistry, TokenEndpoint } from './token-endpoint.js';
import { TokenExchangeGrant } from './token-exchange.grant.js';

/** A grant that is added here is served and listed by discovery; one that is not does not exist. */
const GRANTS = [
  AuthorizationCodeGrant,
  RefreshTokenGrant,
  ClientCredentialsGrant,
  JwtProfileGrant,
  TokenExchangeGrant,
  DeviceCodeGrant,
];

/** The token endpoint and its grants, introspection and revocation. */
@Module({
  imports: [ClientAuthModule, DpopModule, FetchedKeysModule, PermissionsModule, TokensModule],
  providers: [
    ReadClientJwt,
    ReadExchangedToken,
    ExchangeParties,
    ExchangeReach,
    RightToAct,
    AuthenticateServiceUser,
    ...GRANTS,
    {
      provide: GrantRegistry,
      inject: GRANTS,
      useFactory: (...grants: GrantType[]): GrantRegistry => ({
        grants: new Map(grants.map((grant) => [grant.type, grant])),
      }),
    },
    TokenEndpoint,
    DeviceAuthorizationEndpoint,
    IntrospectionClaims,
    IntrospectionEndpoint,
    RevocationEndpoint,
  ],
  exports: [
    GrantRegistry,
    TokenEndpoint,
    DeviceAuthorizationEndpoint,
    IntrospectionClaims,
    IntrospectionEndpoint,
    RevocationEndpoint,
  ],
})
export class GrantsModule {}
