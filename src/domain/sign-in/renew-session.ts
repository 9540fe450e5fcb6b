import { Injectable } from '@nestjs/common';
import { CheckPassword } from '../passwords/check-password.js';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import type { ProofKind } from '../sessions/proof.js';
import type { NewUserAgent, Session } from '../sessions/session.js';
import { SessionsStore, type ProviderSession } from '../sessions/sessions.store.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { BrowserChanged, StartSession } from './start-session.js';
import { WatchSignIns } from './watch-sign-ins.js';

/** Somebody who is signed in, in the browser that they are signed in with. */
export interface SignedInBrowser {
  readonly session: Session;
  /** The cookie's value that it came with. */
  readonly secret: string;
  /** What the session's owner knows it by (sessions/describe-browser.ts). */
  readonly device?: string | undefined;
}

/** Thrown inside a transaction to undo it. */
class NotRenewed extends Error {}

/**
 * A signed-in user authenticates again, or continues in this browser after a change that signed them out
 * everywhere. Either way the browser gets a new secret (security S039).
 */
@Injectable()
export class RenewSession {
  constructor(
    private readonly checkPassword: CheckPassword,
    private readonly sessions: SessionsStore,
    private readonly startSession: StartSession,
    private readonly watch: WatchSignIns,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * The session keeps its id and whatever else was shown in it.
   * @returns `wrong` for a password that is not theirs, `gone` as `after`. @throws HashingOverloaded
   */
  async byPassword(
    browser: SignedInBrowser,
    password: string,
    source: string,
  ): Promise<NewUserAgent | 'wrong' | 'gone'> {
    const { orgId, userId } = browser.session;
    const bill = HashingBill.page(orgId, source);
    const { matches, blocked } = await this.checkPassword.check(userId, password, bill);
    if (!matches) {
      await this.watch.refused(blocked ? 'blocked' : 'wrong password');
      return 'wrong';
    }
    return await this.unlessGone(async (tx) => await this.show(tx, browser, 'password'));
  }

  /** By a provider that has shown that they have just signed in there. @returns `gone` as `after`. @throws ProviderSessionEnded */
  async byIdentity(browser: SignedInBrowser, there: ProviderSession): Promise<NewUserAgent | 'gone'> {
    return await this.unlessGone(async (tx) => {
      await this.startSession.requireProviderSession(tx, there);
      return await this.show(tx, browser, 'external-anew');
    });
  }

  /**
   * By a code that went to their mailbox, for whoever has nothing else to show.
   * @param use uses it up; false where somebody was quicker. @returns `gone` as `after`
   */
  async byMailbox(
    browser: SignedInBrowser,
    use: (tx: Tx) => Promise<boolean>,
  ): Promise<NewUserAgent | 'gone'> {
    return await this.unlessGone(async (tx) => {
      if (!(await use(tx))) throw new NotRenewed();
      return await this.show(tx, browser, 'mailbox');
    });
  }

  /**
   * Continues with a new session, in the transaction of `act`.
   *
   * @param act what it writes is undone with the rest; false refuses
   * @returns `gone` when `act` refused, the user is locked or deactivated by now, or another tab of the browser was quicker
   */
  async after(
    { session, secret, device }: SignedInBrowser,
    act: (tx: Tx) => Promise<boolean>,
  ): Promise<NewUserAgent | 'gone'> {
    const { orgId, userId, userAgentId } = session;
    return await this.unlessGone(async (tx) => {
      if (!(await act(tx))) throw new NotRenewed();
      const started = await this.startSession.execute(
        tx,
        { orgId, userId, proofs: ['password'], earlierProofs: session.proofs },
        { userAgentId, userAgentSecret: secret, device },
      );
      if (started === undefined) throw new NotRenewed();
      return started.agent;
    });
  }

  private async show(tx: Tx, { session, secret }: SignedInBrowser, proof: ProofKind): Promise<NewUserAgent> {
    const { id, userAgentId } = session;
    // the browser before the session that refers to it, as at a sign-in
    const agent = await this.startSession.renewBrowser(tx, { userAgentId, userAgentSecret: secret });
    // a password that was changed meanwhile has ended the session
    if (!(await this.sessions.addProof(tx, id, proof))) throw new NotRenewed();
    return agent;
  }

  private async unlessGone(work: (tx: Tx) => Promise<NewUserAgent>): Promise<NewUserAgent | 'gone'> {
    try {
      return await this.unitOfWork.run(work);
    } catch (error) {
      if (error instanceof NotRenewed || error instanceof BrowserChanged) return 'gone';
      throw error;
    }
  }
}
