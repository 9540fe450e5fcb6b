import { Injectable } from '@nestjs/common';
import type { Session } from '../../sessions/session.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { ContinueFlow, type FlowResult } from './continue-flow.js';
import { isSince } from './decide-flow.js';
import type { Flow } from './find-flow.js';
import { isGoodEnough } from './judge-sessions.js';

/** Continues with one of the accounts that this browser knows. */
@Injectable()
export class ChooseAccount {
  constructor(
    private readonly authRequests: AuthRequestsStore,
    private readonly continueFlow: ContinueFlow,
  ) {}

  /** @returns `password-needed` when its session is not good enough; the sign-in form then knows the name */
  async execute(
    flow: Flow,
    sessionId: string,
    loginNameOf: (session: Session) => Promise<string | undefined>,
  ): Promise<FlowResult | { readonly kind: 'password-needed' }> {
    const session = flow.agent.sessions.find(({ id }) => id === sessionId);
    if (session !== undefined && isEnoughFor(flow, session)) {
      return await this.continueFlow.proceed(flow, session.id);
    }
    const known = session ?? flow.agent.lapsed.find(({ id }) => id === sessionId);
    const loginName = known === undefined ? undefined : await loginNameOf(known);
    if (loginName !== undefined) await this.authRequests.suggestName(flow.id, loginName);
    return { kind: 'password-needed' };
  }
}

/** For the account that an identity waits for it must be of after that, or its owner would have shown nothing. */
export function isEnoughFor({ request, begunAt, pendingIdentity }: Flow, session: Session): boolean {
  if (!isGoodEnough(request, session, begunAt)) return false;
  return pendingIdentity?.userId !== session.userId || isSince(pendingIdentity, session);
}
