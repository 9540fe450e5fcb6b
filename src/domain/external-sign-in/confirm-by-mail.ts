import { Injectable } from '@nestjs/common';
import { CheckFactor, type FactorAttempt } from '../factors/check-factor.js';
import { placeOf } from '../factors/codes/add-code-factor.js';
import type { CodePlace } from '../factors/codes/code-factor.js';
import { FactorCodes } from '../factors/codes/factor-codes.js';
import { FindFactorCode, type FactorCodeState } from '../factors/codes/find-factor-code.js';
import { SendFactorCode } from '../factors/codes/send-factor-code.js';
import type { NewUserAgent, Session } from '../sessions/session.js';
import { RenewSession, type SignedInBrowser } from '../sign-in/renew-session.js';
import { WaysToConfirm } from './ways-to-confirm.js';

/** Makes a session as new by a code that goes to its user's verified address, for whoever has nothing else to show. */
@Injectable()
export class ConfirmByMail {
  constructor(
    private readonly ways: WaysToConfirm,
    private readonly sendCode: SendFactorCode,
    private readonly findCode: FindFactorCode,
    private readonly factorCodes: FactorCodes,
    private readonly checkFactor: CheckFactor,
    private readonly renewSession: RenewSession,
  ) {}

  async stateOf(session: Session): Promise<FactorCodeState> {
    return await this.findCode.stateOf(placeIn(session), 'email');
  }

  /**
   * @param source where the request came from, as `addressGroup` says it
   * @returns false where it is too soon for another code, and for whoever has something else to show
   */
  async send(session: Session, source: string): Promise<boolean> {
    if (!(await this.ways.of(session)).byMail) return false;
    return await this.sendCode.again(placeIn(session), 'email', source);
  }

  /** Wrong codes count as wrong passwords do. @returns `gone` as `RenewSession.byMailbox`. @throws CodeNotChecked */
  async execute(browser: SignedInBrowser, typed: string): Promise<NewUserAgent | 'wrong' | 'gone'> {
    const { session } = browser;
    if (!(await this.ways.of(session)).byMail) return 'gone';
    const result = await this.checkFactor.check(session.userId, () => this.attempt(browser, typed));
    return result ?? 'wrong';
  }

  private async attempt(
    browser: SignedInBrowser,
    typed: string,
  ): Promise<FactorAttempt<NewUserAgent | 'wrong' | 'gone'>> {
    const shown = await this.factorCodes.evaluate(placeIn(browser.session), 'email', typed);
    if (shown === undefined) return { verdict: 'wrong', result: 'wrong' };
    const result = await this.renewSession.byMailbox(browser, (tx) => shown.use(tx));
    return { verdict: result === 'gone' ? 'void' : 'right', result };
  }
}

/** A code is of the session that asked for it. */
function placeIn({ id, orgId, userId }: Session): CodePlace {
  return placeOf({ orgId, userId, session: id });
}
