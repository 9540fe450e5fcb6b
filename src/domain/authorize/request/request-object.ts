import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { isClientId } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { FetchedKeys } from '../../applications/keys/fetched-keys.js';
import { keyIdOf } from '../../applications/keys/key-set.js';
import {
  FAPI_ALGORITHMS,
  isFapi,
  signsMessages,
  type Profiled,
} from '../../applications/security-profile.js';
import { SKEW_SECONDS } from '../../client-auth/assertion-rules.js';
import { Clock } from '../../shared/clock.js';
import { OAuthError, ParameterError } from '../../shared/errors.js';
import { OAuthParameters } from '../../shared/oauth-parameters.js';
import { isSignedWith } from '../../signing-keys/assertion-key.js';
import { readJwt } from '../../signing-keys/read-jwt.js';

/** Settings of request objects; also the token under which configuration provides them. */
export abstract class RequestObjectSettings {
  abstract readonly issuer: string;
  /** Whether the instance takes them; otherwise `request` is refused unread. */
  abstract readonly served: boolean;
}

/** The whole of an authorization request and its signature; what a browser brings is shorter already. */
export const MOST_OBJECT_BYTES = 16_384;
/** None, the general one, or its own (RFC 9101 §10.8). */
const TYPE = /^(?:application\/)?(?:jwt|oauth-authz-req\+jwt)$/i;
/** A request is made for now; FAPI 2.0 Message Signing §5.3.1 has the same bound. */
const LONGEST_SECONDS = 3_600;
/** What a JWT says of itself, and no parameter of an authorization request is called. */
const OF_THE_TOKEN = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'sub']);

/**
 * Opens request objects (RFC 9101), which are passed by value or stand at an address of their application: signed by a key of the
 * application that they are from. What stands outside one counts for nothing but to find the application (§6.3).
 */
@Injectable()
export class OpenRequestObject {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly keys: FetchedKeys,
    private readonly clock: Clock,
    private readonly settings: RequestObjectSettings,
  ) {}

  isUsedBy(parameters: OAuthParameters): boolean {
    return this.settings.served && parameters.has('request');
  }

  /** The address of one is in its place. */
  isReferredToBy(parameters: OAuthParameters): boolean {
    return this.settings.served && parameters.has('request_uri');
  }

  /** @returns the parameters inside. @throws OAuthError to be shown: whose they are is not known before */
  async execute(parameters: OAuthParameters): Promise<OAuthParameters> {
    for (const name of ['client_id', 'request']) {
      if (parameters.isRepeated(name)) throw new ParameterError(name, 'repeated');
    }
    if (parameters.has('request_uri')) {
      throw new OAuthError('invalid_request', 'request and request_uri exclude each other');
    }
    return await this.open(parameters.require('request'), parameters.require('client_id'));
  }

  /**
   * @param clientId of the application that it has to be from
   * @param profile what the application is held to
   * @param published where the application can take it away: it need not say until when it counts
   */
  async open(
    object: string,
    clientId: string,
    profile: Profiled = {},
    published = false,
  ): Promise<OAuthParameters> {
    const jwt = object.length > MOST_OBJECT_BYTES ? undefined : readJwt(object);
    if (jwt === undefined) throw refused('it is no signed JWT, or too long');
    const { typ } = jwt.header;
    if (typ !== undefined && (typeof typ !== 'string' || !TYPE.test(typ))) {
      throw refused('typ names another kind of token');
    }
    const keyId = keyIdOf(jwt.header.kid);
    if (keyId === undefined) throw refused('kid is no id of a key');
    const live = isClientId(clientId) ? await this.applications.findLiveKey(clientId, keyId) : undefined;
    const claims = jwt.payload;
    const problem =
      this.problemOf(claims, clientId, published) ??
      (signsMessages(profile) ? lifetimeProblem(claims) : undefined);
    const algorithms = isFapi(profile) ? FAPI_ALGORITHMS : undefined;
    // where the keys are published, what says the wrong thing has nobody called
    const jwk =
      live === undefined || ('jwksUri' in live && problem !== undefined)
        ? undefined
        : await this.keys.open(live, keyId, profile);
    if (jwk === undefined || !isSignedWith(jwt, jwk, algorithms))
      throw refused('it is signed by no key of the application');
    if (problem !== undefined) throw refused(problem);
    return parametersOf(claims);
  }

  private problemOf(claims: JWTPayload, clientId: string, published: boolean): string | undefined {
    const { iss, aud, sub, client_id: named, exp, nbf, iat } = claims;
    const now = this.clock.nowSeconds();
    if (named !== clientId) return 'client_id inside is not that outside';
    if (iss !== clientId) return 'iss must be the client_id';
    const audience = Array.isArray(aud) ? aud : [aud];
    if (!audience.includes(this.settings.issuer)) return 'aud must be this service';
    // so that no client assertion is taken for one (RFC 9101 §10.8)
    if (sub !== undefined) return 'sub must not be in it';
    if (exp === undefined ? !published : exp <= now - SKEW_SECONDS) return 'exp is missing or past';
    if (exp !== undefined && exp > now + LONGEST_SECONDS + SKEW_SECONDS)
      return 'exp is more than an hour away';
    if (nbf !== undefined && !(nbf <= now + SKEW_SECONDS)) return 'nbf is in the future';
    // FAPI 2.0 Security Profile §5.3.2.1 has that of every JWT, and nobody else needs one from tomorrow
    if (iat !== undefined && !(iat <= now + SKEW_SECONDS)) return 'iat is in the future';
    if (nbf !== undefined && nbf < now - LONGEST_SECONDS - SKEW_SECONDS)
      return 'nbf is more than an hour ago';
    if ('request' in claims || 'request_uri' in claims) return 'another one is inside';
    return undefined;
  }
}

/** FAPI 2.0 Message Signing §5.3.1. */
function lifetimeProblem({ exp, nbf }: JWTPayload): string | undefined {
  if (typeof nbf !== 'number') return 'nbf is missing';
  return exp !== undefined && exp - nbf > LONGEST_SECONDS ? 'exp is more than an hour after nbf' : undefined;
}

/** Numbers and objects as they would be written outside (RFC 9101 §4). */
function parametersOf(claims: JWTPayload): OAuthParameters {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(claims)) {
    if (OF_THE_TOKEN.has(name) || value === null || value === undefined) continue;
    // several resources are an array (RFC 8707 §2.1), and outside a parameter that is repeated
    const values = name === 'resource' && isTexts(value) ? value : [value];
    for (const one of values) form.append(name, typeof one === 'string' ? one : textOf(one));
  }
  return OAuthParameters.read(form);
}

/** What is read can be nested deeper than it can be written. @throws OAuthError */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw refused('a claim is nested too deeply');
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

function refused(problem: string): OAuthError {
  return new OAuthError('invalid_request_object', `request: ${problem}`);
}
