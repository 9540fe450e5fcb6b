import { Injectable } from '@nestjs/common';
import { FindFlow, type Flow } from '../authorize/flow/find-flow.js';
import { provableSessions, settledSessions, type Session, type UserAgent } from '../sessions/session.js';
import { UserAgents } from '../sessions/user-agents.js';
import type { IdentityProviderId, OrgId, UserAgentId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import {
  ProviderRequestsStore,
  sessionOf,
  type ExternalSignIn,
  type TakenSignIn,
} from './provider-requests.store.js';

/** Where somebody comes back to. */
export interface ReturnPlace {
  readonly providerId: IdentityProviderId;
  readonly state: string;
  readonly userAgentSecret: string | undefined;
}

/** What it was begun from, which is still there: a flow, or a session whose user adds an identity or shows who they are. */
type BegunIn =
  | {
      readonly flow: Flow;
      /** As in `ExternalPurpose`. */
      readonly realmOrgId: OrgId | undefined;
    }
  | { readonly own: Session };

/** Finds a sign-in for the browser that began it, at the provider that it was begun for. */
@Injectable()
export class FindBegunSignIn {
  constructor(
    private readonly agents: UserAgents,
    private readonly findFlow: FindFlow,
    private readonly requests: ProviderRequestsStore,
  ) {}

  /** As it is, so that somebody may try again. */
  async find(place: ReturnPlace): Promise<BegunIn | undefined> {
    const found = await this.look(place, (state, at) => this.requests.findSignIn(state, at));
    return found?.in;
  }

  /** Ends it: nobody comes back with it again. */
  async take(place: ReturnPlace): Promise<{ readonly begun: TakenSignIn; readonly in: BegunIn } | undefined> {
    return await this.look(place, (state, at) => this.requests.takeSignIn(state, at));
  }

  private async look<Found extends ExternalSignIn>(
    { providerId, state, userAgentSecret }: ReturnPlace,
    read: (
      stateHash: Buffer,
      at: { readonly providerId: IdentityProviderId; readonly userAgentId: UserAgentId },
    ) => Promise<Found | undefined>,
  ): Promise<{ readonly begun: Found; readonly in: BegunIn } | undefined> {
    const agent = await this.agents.find(userAgentSecret);
    if (agent === undefined || state === '') return undefined;
    const begun = await read(sha256(state), { providerId, userAgentId: agent.id });
    const begunIn = begun && (await this.begunIn(begun, agent, userAgentSecret));
    return begunIn && { begun, in: begunIn };
  }

  private async begunIn(
    { purpose }: ExternalSignIn,
    agent: UserAgent,
    userAgentSecret: string | undefined,
  ): Promise<BegunIn | undefined> {
    if ('flowId' in purpose) {
      const flow = await this.findFlow.find(purpose.flowId, userAgentSecret);
      return flow && { flow, realmOrgId: purpose.realmOrgId };
    }
    const session = sessionOf(purpose);
    const sessions = 'confirmSessionId' in purpose ? provableSessions(agent) : settledSessions(agent);
    const own = sessions.find(({ id }) => id === session);
    return own && { own };
  }
}
