/**
 * What a token is bound to, and whoever uses it has to have (RFC 7800 §3): a key that is shown by a proof (RFC 9449), or a
 * certificate that is shown in the TLS handshake (RFC 8705). One text, which is stored, sealed into tokens and compared as it
 * is: of a key its thumbprint alone, of a certificate its thumbprint after a prefix that no thumbprint of a key has. Whoever
 * knows keys alone takes it for a key that nobody can show.
 */
export type Confirmation = string & { readonly __confirmation: never };

const CERTIFICATE = 'x5t#S256';
const PREFIX = `${CERTIFICATE}:`;

/** The claim `cnf` (RFC 9449 §6.1, RFC 8705 §3.1). */
type ConfirmationClaim = { readonly jkt: string } | { readonly [CERTIFICATE]: string };

/** @param jkt thumbprint of a public key (RFC 7638) */
export function confirmationOfKey(jkt: string): Confirmation {
  return jkt as Confirmation;
}

/** @param thumbprint SHA-256 of the certificate in DER, as base64url */
export function confirmationOfCertificate(thumbprint: string): Confirmation {
  return (PREFIX + thumbprint) as Confirmation;
}

export function isOfCertificate(confirmation: Confirmation): boolean {
  return confirmation.startsWith(PREFIX);
}

/** Its thumbprint; undefined for what is bound to a key. */
export function certificateOf(confirmation: Confirmation): string | undefined {
  return isOfCertificate(confirmation) ? confirmation.slice(PREFIX.length) : undefined;
}

export function claimOf(confirmation: Confirmation): ConfirmationClaim {
  const certificate = certificateOf(confirmation);
  return certificate === undefined ? { jkt: confirmation } : { [CERTIFICATE]: certificate };
}

/** What a claim of ours says, which names one thing and nothing else; undefined for what says nothing that is known. */
export function readConfirmationClaim(cnf: unknown): Confirmation | undefined {
  if (typeof cnf !== 'object' || cnf === null) return undefined;
  const { jkt, [CERTIFICATE]: thumbprint } = cnf as Partial<Record<string, unknown>>;
  if (typeof thumbprint === 'string') return confirmationOfCertificate(thumbprint);
  return typeof jkt === 'string' ? confirmationOfKey(jkt) : undefined;
}

/** The same as a member of what a token says, where it says so. */
export function boundBy(cnf: unknown): { readonly confirmation?: Confirmation } {
  const confirmation = readConfirmationClaim(cnf);
  return confirmation === undefined ? {} : { confirmation };
}

/** One that is bound to a certificate is presented as any other (RFC 8705 §3); only of a key is there a proof (RFC 9449 §5). */
export function tokenTypeOf(confirmation: Confirmation | undefined): 'Bearer' | 'DPoP' {
  return confirmation === undefined || isOfCertificate(confirmation) ? 'Bearer' : 'DPoP';
}

/** What is missing of a request that came without it, for the end of a sentence. */
export function missing(confirmation: Confirmation): string {
  return isOfCertificate(confirmation)
    ? 'bound to a certificate that did not come with the request'
    : 'bound to a key of which there is no DPoP proof';
}
