import { Injectable } from '@nestjs/common';
import { isClientId, type Application } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import { FetchedKeys } from '../applications/keys/fetched-keys.js';
import { keyIdOf } from '../applications/keys/key-set.js';
import { FAPI_ALGORITHMS, isFapi } from '../applications/security-profile.js';
import { Clock } from '../shared/clock.js';
import { isSignedWith } from '../signing-keys/assertion-key.js';
import { readJwt, type ReadJwt } from '../signing-keys/read-jwt.js';
import {
  assertionProblem,
  hashOfUse,
  isAssertionType,
  LONGEST_SECONDS,
  MAX_ASSERTION_LENGTH,
  SKEW_SECONDS,
} from './assertion-rules.js';
import {
  refusedClient,
  type ClientAuthenticationMethod,
  type ClientClaim,
  type ClientCredentials,
} from './client-authentication.js';
import { UsedAssertionsStore } from './used-assertions.store.js';

/** Who we are, as a client assertion names us (RFC 7523 §3). */
export abstract class ClientAuthSettings {
  abstract readonly issuer: string;
  /** URL of the token endpoint: the audience that most libraries used before RFC 10070. */
  abstract readonly tokenEndpoint: string;
  /** URL where requests are pushed, an audience as good as the others (RFC 9126 §2). */
  abstract readonly pushedAuthorizationEndpoint: string;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * private_key_jwt (RFC 7523 §2.2 and §3, OpenID Connect Core §9): the client signs who it is, for whom and until
 * when. The key is the one on file, or among those that the client publishes, which the header names (or the only one, registered
 * without a name), so nothing in the header brings a key along; the assertion
 * is used up last, by one statement, so that nobody can use up another's by guessing.
 */
@Injectable()
export class PrivateKeyJwt implements ClientAuthenticationMethod {
  readonly name = 'private_key_jwt';

  constructor(
    private readonly applications: ApplicationsStore,
    private readonly keys: FetchedKeys,
    private readonly used: UsedAssertionsStore,
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
    const { jwt, keyId, clientId } = readUnverified(assertion);
    return {
      clientId,
      verify: async (application) => {
        if (!(await this.isSigned(jwt, clientId, keyId, application))) return false;
        // nothing that passed the rules lives longer than this
        const hash = hashOfUse(assertion, jwt.payload, `client\u0000${clientId}`);
        if (await this.used.use(hash, LONGEST_SECONDS + 2 * SKEW_SECONDS)) return true;
        throw refusedClient('the assertion was used before');
      },
    };
  }

  private async isSigned(
    jwt: ReadJwt,
    clientId: string,
    keyId: string,
    application: Application | undefined,
  ): Promise<boolean> {
    // asked for unknown clients as well, which then cost the same
    const live = await this.applications.findLiveKey(clientId, keyId);
    if (live === undefined || application?.authMethod !== 'private_key_jwt' || !application.active)
      return false;
    const nowSeconds = this.clock.nowSeconds();
    const { issuer, tokenEndpoint, pushedAuthorizationEndpoint } = this.settings;
    const audiences = application.assertionIssuerOnly
      ? [issuer]
      : [issuer, tokenEndpoint, pushedAuthorizationEndpoint];
    // what says the wrong thing costs no check of a signature, and no call to somewhere else
    const strict = isFapi(application);
    const problem = assertionProblem(jwt.payload, {
      clientId,
      audiences,
      nowSeconds,
      audienceIsText: strict,
    });
    if (problem !== undefined) throw refusedClient(problem);
    const jwk = await this.keys.open(live, keyId, application);
    if (jwk === undefined) throw refusedClient('the client publishes no such key');
    if (isSignedWith(jwt, jwk, strict ? FAPI_ALGORITHMS : undefined)) return true;
    throw refusedClient('not verified: the signature or its algorithm is not that of the key');
  }
}

/** Whose an assertion says it is, before anything is known of it; undefined where there is none that can be read. */
export function assertedClientId({ parameters }: ClientCredentials): string | undefined {
  const assertion = parameters.get('client_assertion');
  if (assertion === undefined || assertion.length > MAX_ASSERTION_LENGTH) return undefined;
  return readJwt(assertion)?.payload.sub;
}

/** What an assertion claims before anything is known of it: whose it is, and by which key that can be checked. */
function readUnverified(assertion: string): {
  readonly jwt: ReadJwt;
  readonly clientId: string;
  readonly keyId: string;
} {
  if (assertion.length > MAX_ASSERTION_LENGTH) throw refusedClient('client_assertion is too long');
  const jwt = readJwt(assertion);
  if (jwt === undefined) throw refusedClient('client_assertion is malformed');
  const { typ } = jwt.header;
  const keyId = keyIdOf(jwt.header.kid);
  const { sub } = jwt.payload;
  if (keyId === undefined) throw refusedClient('kid is no id of a key');
  if (!isAssertionType(typ)) throw refusedClient('typ names another kind of token');
  if (typeof sub !== 'string' || !isClientId(sub)) throw refusedClient('sub is no client_id');
  return { jwt, clientId: sub, keyId };
}
