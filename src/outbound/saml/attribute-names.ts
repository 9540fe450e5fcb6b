/**
 * What directories call the attributes that OpenID Connect has a claim for, so that nobody has to map the usual ones: the claim
 * types of Entra ID and AD FS, the object ids of LDAP (X.500, inetOrgPerson, eduPerson), and the names that Okta, Keycloak and
 * Google suggest.
 */
const WS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const MICROSOFT = 'http://schemas.microsoft.com/identity/claims';

export const CLAIM_NAMES: Readonly<Record<string, readonly string[]>> = {
  email: [
    `${WS}/emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
    'mail',
    'Email',
    'emailAddress',
  ],
  given_name: [`${WS}/givenname`, 'urn:oid:2.5.4.42', 'givenName', 'firstName', 'FirstName', 'first_name'],
  family_name: [`${WS}/surname`, 'urn:oid:2.5.4.4', 'sn', 'surname', 'lastName', 'LastName', 'last_name'],
  name: [
    `${MICROSOFT}/displayname`,
    'urn:oid:2.16.840.1.113730.3.1.241',
    'displayName',
    'DisplayName',
    'cn',
    'urn:oid:2.5.4.3',
  ],
  nickname: ['nickName'],
  locale: ['urn:oid:2.16.840.1.113730.3.1.39', 'preferredLanguage'],
  groups: [
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
    'http://schemas.xmlsoap.org/claims/Group',
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
    'memberOf',
    'Group',
  ],
  roles: ['http://schemas.microsoft.com/ws/2008/06/identity/claims/role', 'Role'],
};
