import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { CheckPassword } from '../passwords/check-password.js';
import type { NewAgent, Session } from '../sessions/session.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { SessionId, UserAgentId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomToken, sha256 } from '../shared/random.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { ResolveLoginName } from './resolve-login-name.js';
import { TimeGrid } from './time-grid.js';

export interface SignInCommand {
  readonly loginName: string;
  readonly password: string;
  readonly userAgentId: UserAgentId;
  /** The cookie's value that the browser came with. */
  readonly agentSecret: string;
  /** What the session's owner will know it by (sessions/describe-browser.ts). */
  readonly device?: string | undefined;
  /**
   * Runs in the transaction that starts the session, so that a flow is closed with it or not at all.
   * Rejecting undoes the sign-in.
   */
  readonly conclude: (tx: Tx, session: Session) => Promise<void>;
}

export type SignInResult =
  | { readonly kind: 'signed-in'; readonly session: Session; readonly agent: NewAgent }
  /** Unknown name, wrong password, inactive user: all the same outside. */
  | { readonly kind: 'refused' };

/** The browser's secret changed while the form was being sent: another sign-in of the same browser was quicker. */
export class BrowserChanged extends Error {}

/**
 * Signs a user in with login name and password. Refusals look alike and take alike: an unknown user costs one native
 * hash, and every refusal waits for the next line of a fixed time grid.
 */
@Injectable()
export class SignIn {
  constructor(
    private readonly resolveLoginName: ResolveLoginName,
    private readonly checkPassword: CheckPassword,
    private readonly sessions: SessionsStore,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly timeGrid: TimeGrid,
    private readonly log: Log,
  ) {}

  async signIn(command: SignInCommand): Promise<SignInResult> {
    const startedAt = performance.now();
    const user = await this.resolveLoginName.resolve(command.loginName);
    const usable = user?.active === true ? user : undefined;
    const { matches } = await this.checkPassword.check(usable?.userId, command.password);
    const started = usable !== undefined && matches ? await this.startSession(command, usable) : undefined;
    if (started !== undefined) return { kind: 'signed-in', ...started };
    // never the typed name: people type passwords into that field
    const reason = user === undefined ? 'unknown name' : user.active ? 'wrong password' : 'user not active';
    this.log.info('sign-in refused', { reason, userId: user?.userId });
    const tookMs = Math.round(performance.now() - startedAt);
    if (this.timeGrid.stepMs > 0 && tookMs > this.timeGrid.stepMs) {
      // an answer on a later line of the grid can be told apart: a costly imported hash, or too few slots
      this.log.warn('a refused sign-in overran the time grid', { tookMs, gridMs: this.timeGrid.stepMs });
    }
    await this.timeGrid.settle(startedAt);
    return { kind: 'refused' };
  }

  private async startSession(
    command: SignInCommand,
    user: { readonly userId: Session['userId']; readonly orgId: Session['orgId'] },
  ): Promise<{ session: Session; agent: NewAgent } | undefined> {
    const secret = randomToken(32);
    return await this.unitOfWork.run(async (tx) => {
      const session = await this.sessions.start(tx, {
        id: randomToken(16) as SessionId,
        orgId: user.orgId,
        userId: user.userId,
        userAgentId: command.userAgentId,
        amr: ['pwd'],
        device: command.device,
      });
      if (session === undefined) return undefined;
      const rotated = await this.sessions.rotateAgent(
        tx,
        command.userAgentId,
        sha256(command.agentSecret),
        sha256(secret),
      );
      if (!rotated) throw new BrowserChanged();
      await this.events.append(tx, {
        orgId: user.orgId,
        aggregateType: 'session',
        aggregateId: session.id,
        sequence: 1,
        type: 'session.password_checked',
        actorId: user.userId,
        data: { userAgentId: command.userAgentId },
      });
      await command.conclude(tx, session);
      return { session, agent: { id: command.userAgentId, secret } };
    });
  }
}
