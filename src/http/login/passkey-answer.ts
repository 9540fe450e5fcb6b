import { authenticationResponse, type AuthenticationResponse } from '../../domain/passkeys/webauthn.js';

/** What a script put into a form: an assertion, or nothing that we could use. */
export function readAssertion(text: string | undefined): AuthenticationResponse | undefined {
  const read = authenticationResponse.safeParse(parsed(text));
  return read.success ? read.data : undefined;
}

/** Undefined for what is no JSON. */
export function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
