import { Module } from '@nestjs/common';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { AuthenticateClient } from './authenticate-client.js';
import { ClientFailures } from './client-failures.js';
import { MutualTls } from './mutual-tls.js';
import { PrivateKeyJwt } from './private-key-jwt.js';

const useCases = [PrivateKeyJwt, MutualTls, AuthenticateClient, ClientFailures];

/** Who an application is, by the methods of RFC 6749 §2.3, RFC 7523 and RFC 8705. */
@Module({ imports: [FetchedKeysModule], providers: useCases, exports: useCases })
export class ClientAuthModule {}
