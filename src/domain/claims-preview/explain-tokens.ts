import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { IntrospectionClaims } from '../grants/introspection-claims.js';
import { scopesWithin } from '../tokens/audience/project-audience.js';
import { TokenClaims } from '../tokens/claims/token-claims.js';
import type { Subject } from '../tokens/claims/user-claims.js';
import type { IssueRequest } from '../tokens/issue-request.js';
import { UserinfoClaims } from '../tokens/userinfo-claims.js';
import { explainClaims, type Cause, type ClaimSwitch, type ExplainedClaim } from './explain-claims.js';

export interface ClaimsPreview {
  /** As a token would have it: what the service does not know is gone. */
  readonly scope: string;
  /** With scope `openid` alone. */
  readonly idToken?: readonly ExplainedClaim[];
  /** Of an application with JWTs alone: an opaque token says nothing. */
  readonly accessToken?: readonly ExplainedClaim[];
  readonly userinfo: readonly ExplainedClaim[];
  /** As the application itself would get it. */
  readonly introspection: readonly ExplainedClaim[];
}

interface Asked {
  readonly application: Application;
  readonly subject: Subject;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
}

/** The claims of all places where a token is looked at, each by the code that is used there. */
@Injectable()
export class ExplainTokens {
  constructor(
    private readonly tokenClaims: TokenClaims,
    private readonly userinfo: UserinfoClaims,
    private readonly introspection: IntrospectionClaims,
  ) {}

  async explain(asked: Asked): Promise<ClaimsPreview> {
    const { application, subject, scopes, audience } = asked;
    const cause: Cause = { scopes, switches: switchesOf(application) };
    const { pairwiseSector } = application;
    const live = (one: Cause) => ({
      subject,
      scopes: scopesWithin(one.scopes, audience),
      audience,
      ...(pairwiseSector != null && { pairwiseSector }),
    });
    const ofIdToken = (one: Cause) => this.tokenClaims.ofIdToken(requestFor(asked, one), true);
    const ofAccessToken = (one: Cause) => this.tokenClaims.ofAccessToken(requestFor(asked, one));
    return {
      scope: scopes.join(' '),
      ...(scopes.includes('openid') && { idToken: await explainClaims(ofIdToken, cause) }),
      ...(application.accessTokenType === 'jwt' && {
        accessToken: await explainClaims(ofAccessToken, cause),
      }),
      userinfo: await explainClaims(
        async (one) =>
          await this.userinfo.of({
            ...live(one),
            userinfoClaims: [],
            clientProject: {
              id: application.projectId,
              assertsRoles: one.switches.has('projectRoleAssertion'),
            },
          }),
        cause,
      ),
      introspection: await explainClaims(
        async (one) =>
          await this.introspection.of(
            { ...live(one), kind: 'access', clientId: application.clientId, jti: '' },
            switched(application, one.switches),
            await this.tokenClaims.jwtAudience(requestFor(asked, one)),
          ),
        cause,
      ),
    };
  }
}

function switchesOf(application: Application): ReadonlySet<ClaimSwitch> {
  const on: ClaimSwitch[] = [];
  if (application.idTokenUserinfoAssertion) on.push('idTokenUserinfoAssertion');
  if (application.accessTokenRoleAssertion) on.push('accessTokenRoleAssertion');
  if (application.idTokenRoleAssertion) on.push('idTokenRoleAssertion');
  if (application.project.assertsRoles) on.push('projectRoleAssertion');
  return new Set(on);
}

function switched(application: Application, switches: ReadonlySet<ClaimSwitch>): Application {
  return {
    ...application,
    idTokenUserinfoAssertion: switches.has('idTokenUserinfoAssertion'),
    accessTokenRoleAssertion: switches.has('accessTokenRoleAssertion'),
    idTokenRoleAssertion: switches.has('idTokenRoleAssertion'),
    project: { ...application.project, assertsRoles: switches.has('projectRoleAssertion') },
  };
}

/** What the authorization code flow would ask for, with nothing of a sign-in in it. */
function requestFor({ application, subject, audience }: Asked, { scopes, switches }: Cause): IssueRequest {
  return {
    client: switched(application, switches),
    // a user's, as opposed to a service user's own; it is only ever part of the id of a token
    authorizationId: '',
    subjectId: subject.id,
    subjectEpoch: 0,
    scopes: scopesWithin(scopes, audience),
    audience,
    authTime: 0,
    amr: [],
    idTokenClaims: [],
  };
}
