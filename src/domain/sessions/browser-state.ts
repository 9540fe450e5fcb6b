import { Injectable } from '@nestjs/common';
import { Sealer } from '../secrets/sealer.js';
import { randomToken, sha256 } from '../shared/random.js';
import { settledSessions, type UserAgent } from './session.js';

/** Whether applications may watch the session of their user's browser; also the token of this setting. */
export abstract class SessionManagementSettings {
  abstract readonly served: boolean;
}

/**
 * Who is signed in with a browser, as a value that only reveals whether it has changed (OpenID Connect Session Management
 * 1.0 §3.2): it changes with every sign-in and sign-out, and the same for all replicas. Scripts may read it, so it is a keyed
 * hash; it grants nothing, and is never accepted as proof.
 */
@Injectable()
export class BrowserStates {
  constructor(
    private readonly sealer: Sealer,
    private readonly settings: SessionManagementSettings,
  ) {}

  get served(): boolean {
    return this.settings.served;
  }

  of(agent: UserAgent): string {
    // a session in which something is left to do signs nobody in yet
    const signedIn = settledSessions(agent).map(({ id, authenticatedAt }) => `${id} ${authenticatedAt}`);
    return this.sealer
      .mac('browser-state', [agent.id, ...signedIn.toSorted()].join('\n'))
      .toString('base64url');
  }
}

/**
 * The `session_state` that an application sends to our frame (§2, §3.2): `<hash>.<salt>`, new each time. The frame computes the same hash
 * (check-session-page.ts).
 *
 * @returns undefined for a redirect URI without an origin, which a frame cannot compare
 */
export function sessionStateFor(
  clientId: string,
  redirectUri: string,
  browserState: string,
): string | undefined {
  const { origin } = new URL(redirectUri);
  if (origin === 'null') return undefined;
  const salt = randomToken(16);
  return `${sha256(`${clientId} ${origin} ${browserState} ${salt}`).toString('hex')}.${salt}`;
}
