import { Injectable } from '@nestjs/common';
import { isClientId, type BrowserApplication } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import type { OrganizationBranding } from '../../organizations/organization-branding.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { ParameterError } from '../../shared/errors.js';
import { readUiLocales } from '../../shared/locale.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import { ReadIdTokenHint, type IdTokenHint } from '../request/id-token-hint.js';

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

/** Reads what comes to the end-session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2); sign-out.ts acts on it. */
@Injectable()
export class ReadSignOutRequest {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly orgs: OrganizationsStore,
    private readonly readIdTokenHint: ReadIdTokenHint,
  ) {}

  /** @throws OAuthError to be shown: nothing here may redirect before it is verified */
  async execute(parameters: OAuthParameters): Promise<SignOutRequest> {
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
