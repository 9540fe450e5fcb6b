import { Injectable } from '@nestjs/common';
import type { JWK, JWTPayload } from 'jose';
import { FetchedKeys } from '../../applications/keys/fetched-keys.js';
import { Clock } from '../../shared/clock.js';
import { OAuthError } from '../../shared/errors.js';
import { isId } from '../../shared/ids.js';
import { isSignedWith } from '../../signing-keys/assertion-key.js';
import { readJwt } from '../../signing-keys/read-jwt.js';
import { ClientRegistrationSettings, type StatementIssuer } from '../client-registration-settings.js';

/** What was given, with the claims of a statement in place of what they name. */
export interface StatedMetadata {
  readonly words: unknown;
  /** As it came, to be given back (RFC 7591 §3.2.1). */
  readonly statement: string | undefined;
}

const MOST_CHARACTERS = 16_384;
/** The clock of an issuer may be ahead of ours by this much. */
const SKEW_SECONDS = 60;
/** What a JWT says of itself (RFC 7519 §4.1), and no metadata of a client is called. A statement is in no other one. */
const OF_THE_TOKEN = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'software_statement']);

/**
 * Software statements (RFC 7591 §2.3): metadata of a client that somebody whom the instance trusts has signed. They count in place of what
 * the client says itself, also when it changes what it registered.
 */
@Injectable()
export class SoftwareStatements {
  constructor(
    private readonly fetchedKeys: FetchedKeys,
    private readonly clock: Clock,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /**
   * @param given the body of a registration, whatever it is
   * @param kept the statement that the client registered with, which stays if it sends no other one
   * @throws OAuthError invalid_software_statement, unapproved_software_statement for one of an issuer that is not trusted,
   *   temporarily_unavailable where the issuer's keys cannot be had
   */
  async apply(given: unknown, kept?: string): Promise<StatedMetadata> {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return { words: given, statement: undefined };
    }
    const { software_statement: sent, ...words } = given as Readonly<Record<string, unknown>>;
    if (sent === undefined || sent === null) {
      // it was good when it was put on file
      const claims = kept === undefined ? undefined : readJwt(kept)?.payload;
      return { words: { ...words, ...(claims && metadataIn(claims)) }, statement: kept };
    }
    if (this.settings.statementIssuers.length === 0) throw invalid('software statements are not supported');
    if (typeof sent !== 'string') throw invalid('software_statement must be a JWT');
    return { words: { ...words, ...metadataIn(await this.verified(sent)) }, statement: sent };
  }

  private async verified(statement: string): Promise<JWTPayload> {
    const jwt = statement.length > MOST_CHARACTERS ? undefined : readJwt(statement);
    if (jwt === undefined) throw invalid('software_statement is no signed JWT, or too long');
    const { payload, header } = jwt;
    const trusted = this.settings.statementIssuers.find(({ issuer }) => issuer === payload.iss);
    if (trusted === undefined) {
      throw new OAuthError(
        'unapproved_software_statement',
        'software_statement is of an issuer that is not trusted here',
      );
    }
    const problem = this.problemOf(payload);
    if (problem !== undefined) throw invalid(`software_statement: ${problem}`);
    const key = typeof header.kid === 'string' ? await this.keyOf(trusted, header.kid) : undefined;
    if (key === undefined || !isSignedWith(jwt, key)) {
      throw invalid('software_statement is signed by no key of its issuer');
    }
    return payload;
  }

  /** Before a key is fetched for it. */
  private problemOf({ exp, nbf, iat, aud }: JWTPayload): string | undefined {
    const now = this.clock.nowSeconds();
    if (exp !== undefined && !(exp > now)) return 'it has expired';
    if ([nbf, iat].some((since) => since !== undefined && !(since <= now + SKEW_SECONDS))) {
      return 'it is not good yet';
    }
    // RFC 7519 §4.1.3: one that names whom it is for is for nobody else
    const audience = Array.isArray(aud) ? aud : [aud];
    if (aud !== undefined && !audience.includes(this.settings.issuer)) return 'aud is another service';
    return undefined;
  }

  private async keyOf({ keys }: StatementIssuer, kid: string): Promise<JWK | undefined> {
    if (!isId(kid)) return undefined;
    return 'jwksUri' in keys ? await this.fetchedKeys.find(keys.jwksUri, kid) : keys.get(kid);
  }
}

function metadataIn(claims: JWTPayload): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !OF_THE_TOKEN.has(name)));
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_software_statement', description);
}
