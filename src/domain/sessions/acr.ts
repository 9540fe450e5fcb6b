import type { ProofLevel } from './proof.js';

/**
 * Authentication context classes (`acr`, OpenID Connect Core §2): what a sign-in amounted to, never more than that.
 * OpenID Connect names no values of its own. A class stands for itself or more: whoever showed a passkey meets all of
 * them.
 */

/** Class of SAML 2.0 (Authentication Context §3.4.2) for a password that travelled under TLS. */
export const PASSWORD_ACR = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
/** Two factors of different kinds (OpenID Provider Authentication Policy Extension 1.0 §4). */
export const MULTI_FACTOR_ACR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
/** Phishing-resistant (OpenID Connect Extended Authentication Profile ACR Values 1.0 §2): a passkey that checked its owner. */
export const PASSKEY_ACR = 'phr';

const LEVELS: ReadonlyMap<string, Exclude<ProofLevel, 0>> = new Map([
  [PASSKEY_ACR, 3],
  [MULTI_FACTOR_ACR, 2],
  [PASSWORD_ACR, 1],
]);

/** Served classes, strongest first. Discovery lists exactly these. */
export const SERVED_ACR_VALUES: readonly string[] = [...LEVELS.keys()];

/** Of values in order of preference, those that are served, each once. */
export function servedAcrValues(values: readonly unknown[]): readonly string[] {
  return [...new Set(values)].filter((value) => typeof value === 'string' && LEVELS.has(value)) as string[];
}

export function isMetBy(level: ProofLevel, acr: string): boolean {
  return level >= (LEVELS.get(acr) ?? Infinity);
}

/** Whether what a token says is the class or more. */
export function isAtLeast(acr: string | undefined, needed: string): boolean {
  return acr !== undefined && isMetBy(LEVELS.get(acr) ?? 0, needed);
}

/** The classes of the three levels, by what a session amounts to. */
type AcrOfLevels = readonly [password: string, multiFactor: string, passkey: string];

/**
 * What a token says of each level: the strongest class that was asked for and is met, else the strongest that is met
 * (OpenID Connect Core §5.5.1.1).
 */
export function acrOfLevels(asked: readonly string[]): AcrOfLevels {
  return [acrOf(1, asked), acrOf(2, asked), acrOf(3, asked)];
}

function acrOf(level: Exclude<ProofLevel, 0>, asked: readonly string[]): string {
  const met = SERVED_ACR_VALUES.filter((acr) => isMetBy(level, acr));
  return met.find((acr) => asked.includes(acr)) ?? met[0] ?? PASSWORD_ACR;
}
