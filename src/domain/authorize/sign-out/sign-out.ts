import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { FrontChannelLogoutSettings } from '../../applications/front-channel.js';
import { EndSessions } from '../../sessions/end-session.js';
import type { Session } from '../../sessions/session.js';
import { UserAgents } from '../../sessions/user-agents.js';
import { PairwiseSubjects } from '../../tokens/claims/pairwise-subjects.js';
import type { IdTokenHint } from '../request/id-token-hint.js';
import type { SignOutRequest } from './read-sign-out-request.js';

/** What the sign-out page frames to notify an application of a logout (Front-Channel Logout §3). */
export interface FrontChannelCall {
  readonly uri: string;
  readonly parameters: { readonly iss: string; readonly sid: string };
}

export interface SignedOut {
  /** All of this browser. */
  readonly ended: readonly Session[];
  /** The front-channel logout URIs that the browser has to load now. */
  readonly calls: readonly FrontChannelCall[];
}

/**
 * Signing out (OpenID Connect RP-Initiated Logout 1.0 §2, §3). A hint for a user who is signed in here proves that
 * the request comes from an application they use; anything less asks the person first, so that no image tag on a
 * strange page can sign anybody out.
 *
 * Which sessions end, where several people share the browser: the one that the hint names, since that is all the
 * application can speak for; with a confirmation all of them, since the page says "in this browser". Either way
 * nobody can be signed in to that application silently as the one who left: prompt=none finds no session of theirs.
 * A hint with `sid` means that session and no other; one that lives elsewhere, or has ended, is suspect (§2), and
 * the person is asked.
 */
@Injectable()
export class SignOut {
  constructor(
    private readonly agents: UserAgents,
    private readonly endSessions: EndSessions,
    private readonly applications: ApplicationsStore,
    private readonly names: PairwiseSubjects,
    private readonly frontChannel: FrontChannelLogoutSettings,
  ) {}

  /** @returns undefined, and nothing ended, when the person must confirm first */
  async execute(
    request: SignOutRequest,
    userAgentSecret: string | undefined,
    confirmed: boolean,
  ): Promise<SignedOut | undefined> {
    const agent = await this.agents.find(userAgentSecret);
    // sessions that are too old to sign anybody in still hold tokens, and are ended like the others
    const sessions = [...(agent?.sessions ?? []), ...(agent?.lapsed ?? [])];
    if (sessions.length === 0) return { ended: [], calls: [] };
    const meant = sessions.filter((session) => isMeant(session, request.hint));
    if (meant.length === 0 && !confirmed) return undefined;
    const ended = confirmed ? sessions : meant;
    await this.endSessions.end(ended, 'logout');
    // afterwards, when none of them can sign in anywhere else
    const channels = await this.applications.listFrontChannels(ended.map(({ id }) => id));
    const { issuer: iss } = this.frontChannel;
    const calls = channels.map(({ sessionId, ...channel }) => ({
      uri: channel.uri,
      // as the ID token called it
      parameters: { iss, sid: this.names.sessionFor(channel, sessionId) },
    }));
    return { ended, calls };
  }
}

function isMeant(session: Session, hint: IdTokenHint | undefined): boolean {
  if (hint === undefined || session.userId !== hint.subject) return false;
  return hint.sessionId === undefined || session.id === hint.sessionId;
}
