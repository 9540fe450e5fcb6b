import type { BrowserApplication } from '../../applications/application.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import type { AuthorizationRequest } from '../auth-request.js';
import type { ServedResponses } from './served-responses.js';

interface CheckInput {
  readonly parameters: OAuthParameters;
  readonly application: BrowserApplication;
  readonly redirectUri: string;
  /** By the instance. */
  readonly served: ServedResponses;
  /** What the checks before this one have read. */
  readonly found: Finding;
}

/** The part of the request that one check has read and found good. */
export type Finding = Partial<Omit<AuthorizationRequest, 'applicationId' | 'redirectUri'>>;

/** One rule of the authorization endpoint. @throws OAuthError, which travels to the redirect URI */
export type Check = (input: CheckInput) => Finding;
