/**
 * Authentication context classes (`acr`, OpenID Connect Core §2): what a sign-in amounted to, never what was asked for.
 * OpenID Connect names no values of its own; this is the class of SAML 2.0 (Authentication Context §3.4.2) for a
 * password that travelled under TLS.
 */
export const PASSWORD_ACR = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';

/** Served classes. Discovery lists exactly these. */
export const SERVED_ACR_VALUES: readonly string[] = [PASSWORD_ACR];
