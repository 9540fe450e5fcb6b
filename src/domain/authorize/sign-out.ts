import { Injectable } from '@nestjs/common';
import { isClientId, type BrowserApplication } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import { FrontChannelLogoutSettings } from '../applications/front-channel.js';
import type { OrganizationBranding } from '../organizations/organization-branding.js';
import { OrganizationsStore } from '../organizations/organizations.store.js';
import { EndSessions } from '../sessions/end-session.js';
import type { Session } from '../sessions/session.js';
import { UserAgents } from '../sessions/user-agents.js';
import { ParameterError } from '../shared/errors.js';
import { readUiLocales } from '../shared/locale.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { PairwiseNames } from '../tokens/pairwise-names.js';
import { ReadIdTokenHint, type IdTokenHint } from './id-token-hint.js';

/** A sign-out request whose parameters agree with each other and with the application. */
export interface SignOutRequest {
  /** Registered. A URI that comes without any client cannot be verified, so it is left out and nobody is sent there. */
  readonly redirectUri?: string;
  readonly state?: string;
  /** Of the application, else of the default organization. */
  readonly organization?: OrganizationBranding;
  /** Whom the hint names. */
  readonly hint?: IdTokenHint;
  /** Best first; `logout_hint` and what else may come (§2) is let pass. */
  readonly uiLocales: readonly string[];
}

/** What a page of ours frames so that an application hears of a logout (Front-Channel Logout §3). */
export interface FrontChannelCall {
  readonly uri: string;
  readonly parameters: { readonly iss: string; readonly sid: string };
}

export interface SignedOut {
  /** All of this browser. */
  readonly ended: readonly Session[];
  /** What the browser has to call now, so that applications hear of it. */
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
    private readonly orgs: OrganizationsStore,
    private readonly readIdTokenHint: ReadIdTokenHint,
    private readonly names: PairwiseNames,
    private readonly frontChannel: FrontChannelLogoutSettings,
  ) {}

  /** @throws OAuthError to be shown: nothing here may redirect before it is verified */
  async check(parameters: OAuthParameters): Promise<SignOutRequest> {
    parameters.refuseRepeated();
    const hintText = parameters.get('id_token_hint');
    const hint = hintText === undefined ? undefined : await this.readIdTokenHint.read(hintText);
    const named = parameters.get('client_id');
    if (hint !== undefined && named !== undefined && named !== hint.clientId) {
      throw new ParameterError('client_id', 'of-another-application');
    }
    const clientId = hint?.clientId ?? named;
    const application =
      clientId !== undefined && isClientId(clientId)
        ? await this.applications.findBrowserClient(clientId)
        : undefined;
    if (named !== undefined && application === undefined) {
      throw new ParameterError('client_id', 'unknown');
    }
    const redirectUri =
      clientId === undefined
        ? undefined
        : registeredUri(parameters, application?.active ? application : undefined);
    const state = parameters.get('state');
    const organization = application?.organization ?? (await this.orgs.findDefaultBranding());
    return {
      ...(redirectUri === undefined ? {} : { redirectUri }),
      ...(state === undefined ? {} : { state }),
      ...(hint === undefined ? {} : { hint }),
      uiLocales: readUiLocales(parameters.get('ui_locales') ?? ''),
      ...(organization === undefined ? {} : { organization }),
    };
  }

  /** @returns undefined, and nothing ended, when the person must confirm first */
  async run(
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

/** @throws OAuthError when the client has not registered the URI: strings are compared exactly (§3.1) */
function registeredUri(
  parameters: OAuthParameters,
  application: BrowserApplication | undefined,
): string | undefined {
  const uri = parameters.get('post_logout_redirect_uri');
  if (uri === undefined || application?.postLogoutRedirectUris.includes(uri) === true) return uri;
  throw new ParameterError('post_logout_redirect_uri', 'not-registered');
}
