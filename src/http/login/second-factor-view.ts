import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { isStepUpOnly } from '../../domain/authorize/flow/step-up.js';
import type { CodePlace } from '../../domain/factors/codes/code-factor.js';
import { FindFactorCode } from '../../domain/factors/codes/find-factor-code.js';
import { askedKinds, type AskedKind, type UsableFactors } from '../../domain/factors/factors.store.js';
import type { CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { Session } from '../../domain/sessions/session.js';
import { Clock } from '../../domain/shared/clock.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import type { FormView } from '../../pages/form-parts.js';
import type { Page } from '../../pages/layout.js';
import type { SecondFactorPage, SentCode } from '../../pages/second-factor-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { flowPath } from '../shared/pages/flow-replies.js';
import { FlowForms } from './flow-forms.js';

const PATH = '/login/second-factor';
const DAY_MS = 86_400_000;

/** What stands on the page that asks for a factor: the strongest that somebody has, or the one that they chose. */
@Injectable()
export class SecondFactorView {
  constructor(
    private readonly findCode: FindFactorCode,
    private readonly tokens: TokensStore,
    private readonly forms: FlowForms,
    private readonly clock: Clock,
  ) {}

  /** Undefined for whoever is no human, or not there any more. */
  async of(
    request: FastifyRequest,
    flow: Flow,
    session: Session,
    usable: UsableFactors,
    asked: string | undefined,
  ): Promise<Omit<SecondFactorPage, keyof Page | 'problem'> | undefined> {
    const subject = await this.tokens.findSubject(session.userId);
    if (subject?.claims.kind !== 'human') return undefined;
    const { displayName } = subject.claims;
    const kind = kindToShow(usable, asked);
    const others = askedKinds(usable).filter((other) => other !== kind);
    return {
      kind,
      sent: isSentKind(kind) ? await this.sentCode(request, flow, session, kind) : undefined,
      trustUntil: kind === 'recovery-code' ? undefined : this.trustUntil(usable.trustedBrowserDays),
      form: formOf(this.forms.view(flow, 'second-factor', PATH), kind),
      account: { loginName: subject.loginName, displayName },
      others: others.map((other) => ({ kind: other, url: kindPath(flow, other) })),
      otherAccountUrl: flowPath('sign-in', flow.id),
      declineForm: isStepUpOnly(flow, session)
        ? this.forms.view(flow, 'second-factor', `${PATH}/decline`)
        : undefined,
    };
  }

  private trustUntil(days: number): Date | undefined {
    return days === 0 ? undefined : new Date(this.clock.nowMs() + days * DAY_MS);
  }

  private async sentCode(
    request: FastifyRequest,
    flow: Flow,
    session: Session,
    kind: CodeFactorKind,
  ): Promise<SentCode | undefined> {
    const { target, isSent, availableInSeconds } = await this.findCode.stateOf(placeOf(flow, session), kind);
    if (target === undefined) return undefined;
    const form = formOf(this.forms.view(flow, 'second-factor', `${PATH}/resend`), kind);
    const wasSent = readQuery(request).get('sent') === 'again';
    return { target, isSent, resend: { form, availableInSeconds, wasSent } };
  }
}

/** Undefined where what somebody has must not be shown now. */
export function kindToShow(usable: UsableFactors, asked: string | undefined): AskedKind | undefined {
  const kinds = askedKinds(usable);
  return kinds.find((kind) => kind === asked) ?? kinds[0];
}

export function isSentKind(kind: AskedKind | undefined): kind is CodeFactorKind {
  return kind === 'email' || kind === 'sms';
}

/** The sign-in that a code is good for. */
export function placeOf(flow: Flow, { orgId, userId }: Session): CodePlace {
  return { orgId, userId, boundTo: flow.id };
}

export function kindPath(flow: Flow, kind: AskedKind | undefined): string {
  const path = flowPath('second-factor', flow.id);
  return kind === undefined ? path : `${path}&kind=${kind}`;
}

function formOf(view: FormView, kind: AskedKind | undefined): FormView {
  return kind === undefined ? view : { ...view, hidden: { kind } };
}
