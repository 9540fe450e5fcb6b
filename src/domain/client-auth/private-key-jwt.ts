import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import { isClientId, type Application } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import { Clock } from '../shared/clock.js';
import { algorithmsOf } from '../signing-keys/assertion-key.js';
import {
  assertionProblem,
  hashOfUse,
  isAssertionType,
  LONGEST_SECONDS,
  MAX_ASSERTION_LENGTH,
  requireUniqueClaims,
  SKEW_SECONDS,
} from './assertion-rules.js';
import {
  refusedClient,
  type ClientAuthenticationMethod,
  type ClientClaim,
  type ClientCredentials,
} from './client-authentication.js';

/** Who we are, as a client assertion names us (RFC 7523 §3). */
export abstract class ClientAuthSettings {
  abstract readonly issuer: string;
  /** URL of the token endpoint: the audience that most libraries used before RFC 10070. */
  abstract readonly tokenEndpoint: string;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** What a key id can look like; anything else is not looked for. */
const KEY_ID = /^[!-~]{1,200}$/;

/**
 * private_key_jwt (RFC 7523 §2.2 and §3, OpenID Connect Core §9): the client signs who it is, for whom and until
 * when. The key is the one of ours that the header names, so nothing in the header brings a key along; the assertion
 * is used up last, by one statement, so that nobody can use up another's by guessing.
 */
@Injectable()
export class PrivateKeyJwt implements ClientAuthenticationMethod {
  readonly name = 'private_key_jwt';

  constructor(
    private readonly applications: ApplicationsStore,
    private readonly clock: Clock,
    private readonly settings: ClientAuthSettings,
  ) {}

  isUsedBy({ parameters }: ClientCredentials): boolean {
    return parameters.has('client_assertion') || parameters.has('client_assertion_type');
  }

  readClaim({ parameters }: ClientCredentials): ClientClaim {
    const assertion = parameters.get('client_assertion');
    if (assertion === undefined) throw refusedClient('client_assertion is missing');
    if (parameters.get('client_assertion_type') !== ASSERTION_TYPE) {
      throw refusedClient('client_assertion_type is missing or unknown');
    }
    const { keyId, clientId } = readUnverified(assertion);
    return { clientId, verify: (application) => this.verify(assertion, clientId, keyId, application) };
  }

  private async verify(
    assertion: string,
    clientId: string,
    keyId: string,
    application: Application | undefined,
  ): Promise<boolean> {
    // asked for unknown clients as well, which then cost the same
    const jwk = await this.applications.findLiveKey(clientId, keyId);
    if (jwk === undefined || application?.authMethod !== 'private_key_jwt' || !application.active)
      return false;
    const nowSeconds = this.clock.nowSeconds();
    const { issuer, tokenEndpoint } = this.settings;
    const audiences = application.assertionIssuerOnly ? [issuer] : [issuer, tokenEndpoint];
    // what says the wrong thing costs no check of a signature
    const problem = assertionProblem(decodeJwt(assertion), { clientId, audiences, nowSeconds });
    if (problem !== undefined) throw refusedClient(problem);
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const payload = await payloadOf(
      jwtVerify(assertion, key, {
        algorithms: [...algorithmsOf(jwk)],
        currentDate: new Date(nowSeconds * 1000),
        clockTolerance: SKEW_SECONDS,
      }),
    );
    // nothing that passed the rules lives longer than this
    const hash = hashOfUse(assertion, payload, `client\u0000${clientId}`);
    if (await this.applications.useAssertion(hash, LONGEST_SECONDS + 2 * SKEW_SECONDS)) return true;
    throw refusedClient('the assertion was used before');
  }
}

/** What an assertion claims before anything is known of it: whose it is, and by which key that can be checked. */
function readUnverified(assertion: string): { readonly clientId: string; readonly keyId: string } {
  if (assertion.length > MAX_ASSERTION_LENGTH) throw refusedClient('client_assertion is too long');
  try {
    requireUniqueClaims(assertion);
    const { kid, typ } = decodeProtectedHeader(assertion);
    const { sub } = decodeJwt(assertion);
    if (typeof kid !== 'string' || !KEY_ID.test(kid)) throw refusedClient('kid is missing');
    if (!isAssertionType(typ)) throw refusedClient('typ names another kind of token');
    if (typeof sub !== 'string' || !isClientId(sub)) throw refusedClient('sub is no client_id');
    return { clientId: sub, keyId: kid };
  } catch (error) {
    throw isFaultOfToken(error) ? refusedClient('client_assertion is malformed') : error;
  }
}

async function payloadOf(verified: Promise<{ payload: JWTPayload }>): Promise<JWTPayload> {
  try {
    return (await verified).payload;
  } catch (error) {
    throw isFaultOfToken(error) ? refusedClient(`not verified: ${error.message}`) : error;
  }
}

function isFaultOfToken(error: unknown): error is Error {
  return error instanceof errors.JOSEError || error instanceof TypeError;
}
