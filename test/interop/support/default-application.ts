import type { ApplicationJson } from './stage.js';

/** A web application with a secret that may refresh; development mode is what plain http on localhost takes. */
export function webApplication(origin: string, more: Partial<ApplicationJson> = {}): ApplicationJson {
  return {
    name: 'My web application',
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
    devMode: true,
    ...more,
  };
}
