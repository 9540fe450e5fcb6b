import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { SetUpFactor } from '../../domain/authorize/second-factor/set-up-factor.js';
import type { CodeObstacle, SetUpChoice } from '../../domain/factors/choose-set-up.js';
import { BeginTotp } from '../../domain/factors/totp/begin-totp.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { Session } from '../../domain/sessions/session.js';
import type { NewCodes, SetUpHindrance, SetUpPart } from '../../pages/set-up-factor-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { flowPath } from '../shared/pages/flow-replies.js';
import { FlowForms } from './flow-forms.js';

export const SET_UP = 'set-up-factor';
export const SET_UP_PATH = '/login/set-up-factor';

/** A mailbox that is not verified has a step of its own. */
const HINDRANCES: Readonly<Record<CodeFactorKind, Partial<Record<CodeObstacle, SetUpHindrance>>>> = {
  email: { 'reset-by-email': 'resetByEmail' },
  sms: { 'not-verified': 'noPhone', 'no-provider': 'noSms' },
};

/** What the page shows of one kind: an app has its secret made, codes say how it stands with them. */
@Injectable()
export class SetUpParts {
  constructor(
    private readonly setUpFactor: SetUpFactor,
    private readonly beginTotp: BeginTotp,
    private readonly forms: FlowForms,
  ) {}

  /** Undefined where the page may not be shown any more: the policy or the user is another one since a moment ago. */
  async find(
    request: FastifyRequest,
    flow: Flow,
    session: Session,
    asked: string | undefined,
    known?: SetUpChoice,
  ): Promise<{ readonly part: SetUpPart; readonly choice: SetUpChoice } | undefined> {
    const choice = known ?? (await this.setUpFactor.choiceOf(session));
    if (!(await this.setUpFactor.isOpenTo(session))) {
      return { part: { kind: 'proof', url: confirmUrl(flow) }, choice: { ...choice, kinds: [] } };
    }
    const part = await this.of(request, flow, session, choice, asked);
    return part && { part, choice };
  }

  private async of(
    request: FastifyRequest,
    flow: Flow,
    session: Session,
    choice: SetUpChoice,
    asked: string | undefined,
  ): Promise<SetUpPart | undefined> {
    const kind = choice.kinds.find((one) => one === asked) ?? choice.kinds[0];
    switch (kind) {
      case undefined:
        return nothing(choice);
      case 'passkey':
        return { kind };
      case 'totp': {
        const { id, orgId, userId } = session;
        const app = await this.beginTotp.resume({ orgId, userId, session: id, ...inPerson(userId) });
        return { kind, app: { secret: app.secret, otpauth: app.address } };
      }
      case 'email':
      case 'sms':
        return await this.codes(request, flow, session, kind);
    }
  }

  private async codes(
    request: FastifyRequest,
    flow: Flow,
    session: Session,
    kind: CodeFactorKind,
  ): Promise<NewCodes | undefined> {
    const { target, isSent, availableInSeconds } = await this.setUpFactor.codeState(flow, session, kind);
    if (target === undefined) return undefined;
    const sent = readQuery(request).get('sent');
    const form = {
      ...this.forms.view(flow, SET_UP, `${SET_UP_PATH}/send`),
      hidden: { kind, ...again(isSent) },
    };
    const resend = { form, availableInSeconds, wasSent: isSent && sent === 'again' };
    return { kind, target, isSent, wasRefused: sent === 'none' && !isSent, resend };
  }
}

/** The page of one kind. */
export function setUpPathOf(flow: Flow, kind: string | undefined): string {
  const path = flowPath(SET_UP, flow.id);
  return kind === undefined ? path : `${path}&${new URLSearchParams({ kind }).toString()}`;
}

/** The page that takes a fresh proof, and leads back here. */
function confirmUrl(flow: Flow): string {
  return `/account/confirm?${new URLSearchParams({ next: flowPath(SET_UP, flow.id) }).toString()}`;
}

function again(isSent: boolean): Readonly<Record<string, string>> {
  return isSent ? { again: 'true' } : {};
}

function nothing({ obstacles }: SetUpChoice): SetUpPart | undefined {
  const why = (Object.entries(obstacles) as [CodeFactorKind, CodeObstacle][]).flatMap(
    ([kind, obstacle]) => HINDRANCES[kind][obstacle] ?? [],
  );
  return why.length === 0 ? undefined : { kind: 'nothing', why };
}
