import { Injectable } from '@nestjs/common';
import { DeviceAuthorizationsStore } from '../../device-authorizations/device-authorizations.store.js';
import type { Session } from '../../sessions/session.js';
import { OAuthError } from '../../shared/errors.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { isStillServed } from '../request/validate-request.js';
import { ContinueFlow, type FlowResult } from './continue-flow.js';
import type { Flow } from './find-flow.js';
import { isStepUpOnly, unmet } from './step-up.js';

/** What becomes of a flow whose user will not do what is asked of them. */
@Injectable()
export class RefuseFlow {
  constructor(
    private readonly authRequests: AuthRequestsStore,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly continueFlow: ContinueFlow,
  ) {}

  /** The user does not agree: the application gets that error (OpenID Connect Core §3.1.2.6). */
  async execute(
    flow: Flow,
    refusal = new OAuthError('access_denied', 'the user did not agree'),
  ): Promise<FlowResult> {
    const { request, destination } = flow;
    if (request === undefined || !isStillServed(request, flow.application)) return { kind: 'gone' };
    const isClosed = await this.unitOfWork.run(async (tx) => {
      if (!(await this.authRequests.close(tx, flow.id))) return false;
      const { deviceAuthorizationId } = request;
      // a decision made earlier in another browser stands: a device that has its tokens must not be reported as refused
      return deviceAuthorizationId === undefined || (await this.devices.deny(tx, deviceAuthorizationId));
    });
    if (!isClosed) return { kind: 'gone' };
    return { kind: 'done', destination, answer: { request, refusal } };
  }

  /**
   * The user skips the factor that the application's `acr_values` ask for, for example because it is not at hand: those are
   * voluntary, and the flow continues without it. An essential `acr` ends the flow.
   */
  async declineStepUp(flow: Flow, session: Session): Promise<FlowResult> {
    const { request } = flow;
    if (!isStepUpOnly(flow, session)) return { kind: 'gone' };
    if (request?.acrEssential === true) return await this.execute(flow, unmet());
    const withoutWish = { ...flow, ...(request && { request: { ...request, acrValues: [] } }) };
    return await this.continueFlow.proceed(withoutWish, session.id, (tx) =>
      this.authRequests.dropAcr(tx, flow.id),
    );
  }
}
