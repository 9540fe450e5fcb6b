import { authenticationResponse, type AuthenticationResponse } from '../../domain/passkeys/webauthn.js';
import { parsedJson } from '../shared/parsed-json.js';

/** What a script put into a form: an assertion, or nothing that we could use. */
export function readAssertion(text: string | undefined): AuthenticationResponse | undefined {
  const read = authenticationResponse.safeParse(parsedJson(text));
  return read.success ? read.data : undefined;
}
