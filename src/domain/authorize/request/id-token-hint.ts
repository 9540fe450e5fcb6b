import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ParameterError } from '../../shared/errors.js';
import { KeyRing } from '../../signing-keys/key-ring.js';
import { readJwt } from '../../signing-keys/read-jwt.js';
import { LONGEST_ID_TOKEN } from '../../tokens/check-id-token.js';
import { PairwiseSubjects } from '../../tokens/claims/pairwise-subjects.js';
import { parseTokenId } from '../../tokens/token-id.js';
import { TokenSettings } from '../../tokens/token-settings.js';

const hintClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  azp: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  sid: z.string().optional(),
  jti: z.string().optional(),
});

export interface IdTokenHint {
  /** The user's id. */
  readonly subject: string;
  /** What it says in place of that. */
  readonly sub: string;
  /** Client the token was issued to. */
  readonly clientId: string;
  /** In the tokens of applications with back-channel logout. */
  readonly sessionId?: string;
}

/**
 * An id_token_hint is an ID token of ours, expired or not (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). It
 * never signs anybody in; it only names whom the client means.
 */
@Injectable()
export class ReadIdTokenHint {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly names: PairwiseSubjects,
    private readonly settings: TokenSettings,
  ) {}

  /** @throws ParameterError when it is not an ID token that this service signed */
  async read(hint: string): Promise<IdTokenHint> {
    const claims = await this.verified(hint);
    const parsed = hintClaims.safeParse(claims);
    // access tokens are signed by the same keys but have no azp
    if (!parsed.success || parsed.data.iss !== this.settings.issuer) {
      throw new ParameterError('id_token_hint', 'of-another-issuer');
    }
    const { sub, azp, jti = '' } = parsed.data;
    const told = parseTokenId(jti)?.pairwise === true ? this.names.idsIn(parsed.data) : parsed.data;
    if (told === undefined) throw new ParameterError('id_token_hint', 'invalid');
    return {
      subject: told.sub,
      sub,
      clientId: azp,
      ...(told.sid === undefined ? {} : { sessionId: told.sid }),
    };
  }

  private async verified(hint: string): Promise<unknown> {
    const jwt = hint.length > LONGEST_ID_TOKEN ? undefined : readJwt(hint);
    const verifier = jwt && (await this.keyRing.verifierNow(jwt.header['kid']));
    if (jwt === undefined || verifier === undefined || !jwt.isSignedBy(verifier.key, [verifier.algorithm])) {
      throw new ParameterError('id_token_hint', 'invalid');
    }
    return jwt.payload;
  }
}
