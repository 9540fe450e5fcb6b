import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Actor } from '../authorizations/actor.js';
import { boundBy, readConfirmationClaim, type Confirmation } from '../authorizations/confirmation.js';
import { Clock } from '../shared/clock.js';
import type { ApplicationId } from '../shared/ids.js';
import { KeyRing } from '../signing-keys/key-ring.js';
import { readJwt } from '../signing-keys/read-jwt.js';
import { PairwiseSubjects } from './claims/pairwise-subjects.js';
import type { Subject } from './claims/user-claims.js';
import { parseTokenId } from './token-id.js';
import { TokenSettings } from './token-settings.js';
import { TokensStore } from './tokens.store.js';

export const LONGEST_ID_TOKEN = 16_384;

const idTokenClaims = z.object({
  sub: z.string(),
  azp: z.string(),
  aud: z.array(z.string()),
  jti: z.string(),
  auth_time: z.number(),
  amr: z.array(z.string()).optional(),
  sid: z.string().optional(),
  act: z.custom<Actor>().optional(),
  // of ID tokens of release 0.2; of one that says anything else nothing is known, and it is not taken
  cnf: z.custom<object>((cnf) => readConfirmationClaim(cnf) !== undefined).optional(),
  // an access token has it, and is never taken for an ID token
  client_id: z.never().optional(),
});

/** An ID token of ours that is good right now, and so is what it came from. */
export interface LiveIdToken {
  readonly subject: Subject;
  readonly jti: string;
  /** Client it was issued to. */
  readonly clientId: string;
  /** The same as an application; none for a service user's own token. */
  readonly applicationId?: ApplicationId;
  /** Of its client, where that has pairwise subjects. */
  readonly pairwiseSector?: string;
  readonly audience: readonly string[];
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly actor?: Actor;
  /** The key or certificate that it was given out for. */
  readonly confirmation?: Confirmation;
}

/**
 * An ID token says who signed in, not what may be done; it is a credential at the token exchange alone. There it holds
 * no longer than an access token of the same grant would.
 */
@Injectable()
export class CheckIdToken {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly tokens: TokensStore,
    private readonly names: PairwiseSubjects,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /** The active token, or undefined for anything else; the reason must not be visible outside. */
  async check(token: string): Promise<LiveIdToken | undefined> {
    const opened = await this.open(token);
    const id = opened && parseTokenId(opened.claims.jti);
    if (opened === undefined || id === undefined) return undefined;
    const { kid, claims } = opened;
    const told = id.pairwise ? this.names.idsIn(claims) : claims;
    if (told === undefined) return undefined;
    const found = await this.tokens.findSubjectOfLiveToken({
      jti: claims.jti,
      authorizationId: id.authorizationId,
      subject: told.sub,
      subjectEpoch: id.subjectEpoch,
      clientId: claims.azp,
      clientEpoch: id.clientEpoch,
      sessionId: told.sid ?? null,
      kid,
      tokenKeyId: null,
      projectIds: null,
      audience: null,
      issuedAt: 0,
    });
    if (found === undefined) return undefined;
    return {
      subject: found.subject,
      jti: claims.jti,
      clientId: claims.azp,
      ...(found.applicationId === undefined ? {} : { applicationId: found.applicationId }),
      ...(found.pairwiseSector === undefined ? {} : { pairwiseSector: found.pairwiseSector }),
      audience: claims.aud,
      authTime: claims.auth_time,
      amr: claims.amr ?? [],
      ...(told.act === undefined ? {} : { actor: told.act }),
      ...(id.confirmation === undefined ? boundBy(claims.cnf) : { confirmation: id.confirmation }),
    };
  }

  private async open(
    token: string,
  ): Promise<{ kid: string; claims: z.infer<typeof idTokenClaims> } | undefined> {
    const jwt = token.length > LONGEST_ID_TOKEN ? undefined : readJwt(token);
    if (jwt?.header['typ'] !== 'JWT') return undefined;
    const { kid } = jwt.header;
    const verifier = await this.keyRing.verifier(kid);
    if (typeof kid !== 'string' || verifier === undefined) return undefined;
    if (!jwt.isSignedBy(verifier.key, [verifier.algorithm])) return undefined;
    const { iss, exp = 0 } = jwt.payload;
    if (iss !== this.settings.issuer || exp <= this.clock.nowSeconds()) return undefined;
    const parsed = idTokenClaims.safeParse(jwt.payload);
    return parsed.success ? { kid, claims: parsed.data } : undefined;
  }
}
