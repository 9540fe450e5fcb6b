import { Module } from '@nestjs/common';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { CheckDpopProof } from './check-dpop-proof.js';
import { CheckPresentedToken } from './check-presented-token.js';
import { DpopNonces } from './dpop-nonces.js';

const useCases = [DpopNonces, CheckDpopProof, CheckPresentedToken];

/**
 * Proofs of possession (RFC 9449): a client shows with each request that it has a key, and tokens that are bound to that key
 * are good with such a proof alone. Each proof is good once, on all replicas together.
 */
@Module({ imports: [SigningKeysModule, TokensModule], providers: useCases, exports: useCases })
export class DpopModule {}
