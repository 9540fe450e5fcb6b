import { Injectable } from '@nestjs/common';
import { DeviceAuthorizationsStore } from '../../device-authorizations/device-authorizations.store.js';
import { LinkIdentity } from '../../identity-providers/identities/link-identity.js';
import type { ManagementAccess } from '../../permissions/management-access.js';
import { freshProofs, kindsOf, showsOwner } from '../../sessions/proof.js';
import type { Session } from '../../sessions/session.js';
import { OAuthError } from '../../shared/errors.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { AskToVerifyEmail } from '../../users/verification/ask-to-verify-email.js';
import { AnswerRequest } from '../answer/answer-request.js';
import { AskConsent, type PreparedAnswer } from '../answer/ask-consent.js';
import type { OpenedAnswer } from '../answer/create-authorization.js';
import type { AuthorizationAnswer } from '../answer/finish-answer.js';
import type { AuthorizationRequest, PendingIdentity } from '../auth-request.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { isStillServed } from '../request/validate-request.js';
import type { FlowStep } from './begin-flow.js';
import type { Flow } from './find-flow.js';
import { stepUpIn, unmet } from './step-up.js';

/** What comes after a step of a flow: its next step, or its answer; undefined for a flow of our own pages. */
export type StepOutcome =
  { readonly step: FlowStep } | { readonly answer: OpenedAnswer | AuthorizationAnswer | undefined };

/** The same once it has been committed, ready to be sent. */
type FinishedStep = { readonly step: FlowStep } | { readonly answer?: AuthorizationAnswer };

/** Thrown inside a transaction to undo it when the flow was answered meanwhile. */
export class FlowGone extends Error {}

/** Decides whether a flow is answered now, or what its user has to do first. */
@Injectable()
export class DecideFlow {
  constructor(
    private readonly authRequests: AuthRequestsStore,
    private readonly answerRequest: AnswerRequest,
    private readonly consent: AskConsent,
    private readonly askToVerifyEmail: AskToVerifyEmail,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly linkIdentity: LinkIdentity,
  ) {}

  /** Undefined for a flow of our own. @throws FlowGone when the application may no longer have this answer */
  async prepare({ request, application }: Flow): Promise<PreparedAnswer | undefined> {
    if (request === undefined) return undefined;
    if (!isStillServed(request, application)) throw new FlowGone();
    return await this.answerRequest.prepare(request, application);
  }

  /** In the transaction of a step that was taken. @throws FlowGone when it was answered meanwhile */
  async stepOrAnswer(
    tx: Tx,
    flow: Flow,
    prepared: PreparedAnswer | undefined,
    session: Session,
    agreed: ManagementAccess | undefined,
  ): Promise<StepOutcome> {
    const isAnother = flow.request !== undefined && !isHinted(flow.request, session);
    const due = session.step ?? (isAnother ? undefined : stepUpIn(flow, session));
    const step = due ?? (await this.consentStep(tx, prepared, session, agreed));
    if (step !== undefined && step !== 'unmet') {
      if (!(await this.authRequests.awaitStep(tx, flow.id, session.id))) throw new FlowGone();
      return { step };
    }
    // a double submit, or a second tab, finds it closed: one flow gives one answer
    if (!(await this.authRequests.close(tx, flow.id))) throw new FlowGone();
    if (step !== 'unmet') await this.linkPending(tx, flow, session);
    if (prepared === undefined) return { answer: undefined };
    if (step === 'unmet') return { answer: { request: prepared.request, refusal: unmet() } };
    return { answer: await this.answer(tx, prepared, session, agreed) };
  }

  /** After the commit: mails the code that the next step asks for, or signs what the answer holds. */
  async finish(outcome: StepOutcome, session: Session): Promise<FinishedStep> {
    if ('step' in outcome) {
      if (outcome.step === 'verify-email') await this.askToVerifyEmail.unlessAsked(session);
      return outcome;
    }
    const { answer } = outcome;
    if (answer === undefined) return {};
    return { answer: 'grant' in answer ? await this.answerRequest.finish(answer) : answer };
  }

  /** All that was asked of the owner of the account has been shown: what they are elsewhere is theirs here as well. */
  private async linkPending(tx: Tx, { pendingIdentity }: Flow, session: Session): Promise<void> {
    const { userId } = session;
    if (pendingIdentity === undefined || pendingIdentity.userId !== userId) return;
    // an earlier session says nothing of who has just come back from the provider
    if (!isSince(pendingIdentity, session) || !showsOwnerTo(pendingIdentity, session)) return;
    // what the provider has taken back meanwhile shows nothing any more; the sign-in here stands by itself
    const { providerSession, ...identity } = pendingIdentity;
    await this.linkIdentity.execute(tx, { ...identity, userId }, userId, providerSession);
  }

  private async consentStep(
    tx: Tx,
    prepared: PreparedAnswer | undefined,
    session: Session,
    agreed: ManagementAccess | undefined,
  ): Promise<'consent' | undefined> {
    if (prepared === undefined || !isHinted(prepared.request, session)) return undefined;
    const needed = await this.consent.needed(tx, prepared, session, agreed);
    return needed === undefined ? undefined : 'consent';
  }

  private async answer(
    tx: Tx,
    prepared: PreparedAnswer,
    session: Session,
    agreed: ManagementAccess | undefined,
  ): Promise<OpenedAnswer | AuthorizationAnswer> {
    const { request } = prepared;
    if (!isHinted(request, session)) {
      return { request, refusal: new OAuthError('login_required', 'another user has signed in') };
    }
    const opened = await this.answerRequest.open(tx, prepared, session, agreed);
    if (opened === undefined || 'consent' in opened) throw new FlowGone();
    if ('refusal' in opened && request.deviceAuthorizationId !== undefined) {
      if (!(await this.devices.deny(tx, request.deviceAuthorizationId))) throw new FlowGone();
    }
    return opened;
  }
}

/** Whether its user has signed in since the identity was kept. */
export function isSince({ keptAt }: PendingIdentity, { authenticatedAt }: Session): boolean {
  return authenticatedAt >= keptAt;
}

/**
 * Whether they have shown that the account is theirs, shortly before at the earliest. Whoever is at a browser that its owner left open
 * passes through a provider that asks nothing, and would add an identity of their own (security S511).
 */
function showsOwnerTo({ keptAt }: PendingIdentity, { proofs }: Session): boolean {
  return kindsOf(freshProofs(proofs, keptAt)).some(showsOwner);
}

/** The client may have named somebody, and somebody else has signed in (OpenID Connect Core §3.1.2.1). */
export function isHinted({ hintedUserId }: AuthorizationRequest, { userId }: Session): boolean {
  return hintedUserId === undefined || hintedUserId === userId;
}
