import { isOfCertificate, type Confirmation } from '../authorizations/confirmation.js';

/** One that is bound to a certificate is presented as any other (RFC 8705 §3); only of a key is there a proof (RFC 9449 §5). */
export function tokenTypeOf(confirmation: Confirmation | undefined): 'Bearer' | 'DPoP' {
  return confirmation === undefined || isOfCertificate(confirmation) ? 'Bearer' : 'DPoP';
}
