import { Injectable } from '@nestjs/common';
import { SignIn, type Credentials } from '../../sign-in/sign-in.js';
import { ContinueFlow, type FlowResult } from './continue-flow.js';
import { placeOf, type Flow } from './find-flow.js';

/** Continues a flow by login name and password. */
@Injectable()
export class EnterByPassword {
  constructor(
    private readonly signIn: SignIn,
    private readonly continueFlow: ContinueFlow,
  ) {}

  async execute(flow: Flow, userAgentSecret: string, credentials: Credentials): Promise<FlowResult> {
    const user = await this.signIn.authenticate(credentials, placeOf(flow));
    if (user === undefined) return { kind: 'refused' };
    return await this.continueFlow.enter(flow, userAgentSecret, () => Promise.resolve(user));
  }
}
