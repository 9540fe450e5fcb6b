import type { Application } from '../../src/domain/applications/application.js';
import type { ApplicationId, ClientId, OrgId, ProjectId } from '../../src/domain/shared/ids.js';

/** An application as the store tells of it, with no database behind it: the code flow, and nothing else switched on. */
export function aStoredApplication(clientId: string, changes: Partial<Application> = {}): Application {
  return {
    id: `id-${clientId}` as ApplicationId,
    orgId: 'org' as OrgId,
    projectId: 'project' as ProjectId,
    clientId: clientId as ClientId,
    name: clientId,
    active: true,
    authMethod: 'client_secret_basic',
    clientSecretHash: null,
    grantTypes: ['authorization_code'],
    accessTokenType: 'opaque',
    idTokenAlgorithm: null,
    idTokenUserinfoAssertion: false,
    claimsWebhook: false,
    accessTokenRoleAssertion: false,
    idTokenRoleAssertion: false,
    project: { assertsRoles: false, requiresRole: false, requiresProject: false },
    clockSkewSeconds: 0,
    backChannelLogout: false,
    assertionIssuerOnly: false,
    dpopBoundAccessTokens: false,
    tlsClientCertificateBoundAccessTokens: false,
    securityProfile: 'none',
    accessTokenAtJwt: false,
    tokenEpoch: 0,
    ...changes,
  };
}
