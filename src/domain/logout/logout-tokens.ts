import { Injectable } from '@nestjs/common';
import { signedBy } from '../applications/security-profile.js';
import { Clock } from '../shared/clock.js';
import { PairwiseSubjects } from '../tokens/claims/pairwise-subjects.js';
import { SignJwt } from '../tokens/jwt/sign-jwt.js';
import { TokenSettings } from '../tokens/token-settings.js';
import type { ClaimedLogoutNotice } from './logout-notices.store.js';

export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/**
 * Two minutes, as §2.4 recommends, and not the 15 of protocol §7.1: a new token is made for each attempt, so it only
 * has to outlast one request and two clocks that disagree.
 */
const LIFETIME_SECONDS = 120;

/** Makes logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.4). */
@Injectable()
export class LogoutTokens {
  constructor(
    private readonly signJwt: SignJwt,
    private readonly names: PairwiseSubjects,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /**
   * `jti` is the notice's id, the same at each attempt, so that a receiver can drop a duplicate. There is never a
   * nonce: it is what keeps a logout token from being taken for an ID token.
   */
  async make(notice: ClaimedLogoutNotice): Promise<string> {
    const now = this.clock.nowSeconds();
    return await this.signJwt.sign(
      () => ({
        iss: this.settings.issuer,
        sub: this.names.subjectFor(notice, notice.userId),
        aud: [notice.clientId],
        iat: now - notice.clockSkewSeconds,
        exp: now + LIFETIME_SECONDS + notice.clockSkewSeconds,
        jti: notice.id,
        events: { [LOGOUT_EVENT]: {} },
        sid: this.names.sessionFor(notice, notice.sessionId),
      }),
      'logout+jwt',
      signedBy(notice, notice.idTokenAlgorithm),
    );
  }
}
