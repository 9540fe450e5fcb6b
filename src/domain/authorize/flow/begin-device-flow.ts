import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { NO_REDIRECT_URI, readUserCode } from '../../device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../../device-authorizations/device-authorizations.store.js';
import { UserAgents } from '../../sessions/user-agents.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { isStillServed } from '../request/validate-request.js';
import type { AdmitFlow } from './begin-flow.js';
import { DecideRequest, type BeginOutcome } from './decide-request.js';

/**
 * Somebody has typed the code that their device shows (RFC 8628 §3.3). From here on it is a sign-in as any other, with its
 * factors, its policies and the checks of its project, at whose end the user agrees and their device gets the tokens.
 */
@Injectable()
export class BeginDeviceFlow {
  constructor(
    private readonly devices: DeviceAuthorizationsStore,
    private readonly applications: ApplicationsStore,
    private readonly agents: UserAgents,
    private readonly decideRequest: DecideRequest,
  ) {}

  /** Undefined for a code that no device shows now. @throws OAuthError where what it asked for cannot be had any more */
  async execute(
    typed: string,
    userAgentSecret: string | undefined,
    admit: AdmitFlow,
  ): Promise<BeginOutcome | undefined> {
    const userCode = readUserCode(typed);
    const device = userCode === undefined ? undefined : await this.devices.findPending(userCode);
    if (device === undefined) return undefined;
    const application = await this.applications.findBrowserApplication(device.applicationId);
    const request: AuthorizationRequest = {
      applicationId: device.applicationId,
      deviceAuthorizationId: device.id,
      redirectUri: NO_REDIRECT_URI,
      responseType: 'code',
      responseMode: 'query',
      scopes: device.scopes,
      prompts: [],
      uiLocales: [],
    };
    if (!isStillServed(request, application)) return undefined;
    const agent = await this.agents.find(userAgentSecret);
    return await this.decideRequest.execute(request, application, agent, admit);
  }
}
