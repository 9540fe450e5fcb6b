/** Issuer and lifetimes of what this service issues. */
export abstract class TokenSettings {
  /** The one spelling of the issuer: discovery, `iss` claims and RFC 9207 parameters are this string. */
  abstract readonly issuer: string;
  abstract readonly accessTokenSeconds: number;
  abstract readonly idTokenSeconds: number;
  abstract readonly codeSeconds: number;
  abstract readonly refreshIdleSeconds: number;
  abstract readonly refreshAbsoluteSeconds: number;
  /** How long a retry with the rotated refresh token gets the same successor; 0 is strict. */
  abstract readonly refreshGraceSeconds: number;
}
