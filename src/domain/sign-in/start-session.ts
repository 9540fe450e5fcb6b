import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { amrOf, freshProofs, kindsOf, type ProofKind, type Proofs } from '../sessions/proof.js';
import type { NewUserAgent, Session } from '../sessions/session.js';
import { SessionsStore, type ProviderSession } from '../sessions/sessions.store.js';
import { Clock } from '../shared/clock.js';
import type { OrgId, SessionId, UserAgentId, UserId } from '../shared/ids.js';
import { randomId, randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Somebody who has just shown who they are. */
export interface AuthenticatedUser {
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** How. A session that begins or is renewed with it has exactly these. */
  readonly proofs: readonly ProofKind[];
  /** Factors of the session that this one replaces: recent ones keep counting, from their own time. */
  readonly earlierProofs?: Proofs | undefined;
  /** What an identity provider says was shown to it, and when; it counts from then on, however long ago. */
  readonly shownThere?: Proofs | undefined;
  /** `StoredPassword.setAt` of the password that was shown: once there is another one it proves nothing any more. */
  readonly passwordSetAt?: string | undefined;
  /** Where an identity provider showed it. */
  readonly providerSession?: ProviderSession | undefined;
}

/** The browser that somebody is signed in to. */
interface EnteredBrowser {
  readonly userAgentId: UserAgentId;
  /** The cookie's value that it came with. */
  readonly userAgentSecret: string;
  /** What the session's owner will know it by (sessions/describe-browser.ts). */
  readonly device?: string | undefined;
  /** False where no trust in it spares a second factor: of whoever shows once more who they are. */
  readonly trusts?: boolean | undefined;
}

/** The browser's secret changed while the form was being sent: another sign-in of the same browser was quicker. */
export class BrowserChanged extends Error {}

/** The provider has said that its session is over before what it said of its beginning was taken in. */
export class ProviderSessionEnded extends Error {}

/**
 * Makes a session of a proof, in the transaction of whatever follows from it. The browser is known by a new secret
 * afterwards, so a cookie that was planted or stolen before is worth nothing (security S039).
 */
@Injectable()
export class StartSession {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns undefined when the user is no longer active or the password shown is no longer theirs: the caller must then
   *   undo the transaction
   * @throws BrowserChanged, ProviderSessionEnded
   */
  async execute(
    tx: Tx,
    user: AuthenticatedUser,
    browser: EnteredBrowser,
  ): Promise<{ readonly session: Session; readonly agent: NewUserAgent } | undefined> {
    const { orgId, userId, proofs, passwordSetAt, providerSession } = user;
    if (providerSession !== undefined) await this.requireProviderSession(tx, providerSession);
    const { userAgentId, device, trusts } = browser;
    const earlier = freshProofs(user.earlierProofs ?? {}, this.clock.nowSeconds());
    const earlierProofs = { ...earlier, ...user.shownThere };
    // the browser before the session that refers to it: the other way round two sign-ins at once would deadlock
    const agent = await this.renewBrowser(tx, browser);
    const id = randomId() as SessionId;
    const session = await this.sessions.start(tx, {
      id,
      orgId,
      userId,
      userAgentId,
      proofs,
      earlierProofs,
      device,
      trusts,
      passwordSetAt,
    });
    if (session === undefined) return undefined;
    if (providerSession !== undefined) {
      await this.sessions.keepProviderSession(tx, session.id, providerSession);
    }
    await this.events.append(tx, {
      orgId,
      aggregateType: 'session',
      aggregateId: session.id,
      sequence: 1,
      type: 'session.authenticated',
      actorId: userId,
      data: { userAgentId, amr: amrOf([...kindsOf(earlierProofs), ...proofs]).join(' ') },
    });
    return { session, agent };
  }

  /** After its user, and before anything of a session is locked. @throws ProviderSessionEnded */
  async requireProviderSession(tx: Tx, of: ProviderSession): Promise<void> {
    if (!(await this.sessions.admitProviderSession(tx, of))) throw new ProviderSessionEnded();
  }

  /** As after every proof: the browser is known by a new secret from then on. @throws BrowserChanged */
  async renewBrowser(tx: Tx, { userAgentId, userAgentSecret }: EnteredBrowser): Promise<NewUserAgent> {
    const secret = randomToken(32);
    if (!(await this.sessions.rotateAgent(tx, userAgentId, sha256(userAgentSecret), sha256(secret)))) {
      throw new BrowserChanged();
    }
    return { id: userAgentId, secret };
  }
}
