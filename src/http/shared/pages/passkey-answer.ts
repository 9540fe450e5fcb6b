import {
  authenticationResponse,
  registrationResponse,
  type AuthenticationResponse,
  type RegistrationResponse,
} from '../../../domain/passkeys/webauthn.js';
import { parsedJson } from '../server/parsed-json.js';

/** What a script put into a form: an assertion, or nothing that we could use. */
export function readAssertion(text: string | undefined): AuthenticationResponse | undefined {
  const read = authenticationResponse.safeParse(parsedJson(text));
  return read.success ? read.data : undefined;
}

/** The same of a passkey that was made. */
export function readRegistration(text: string | undefined): RegistrationResponse | undefined {
  const read = registrationResponse.safeParse(parsedJson(text));
  return read.success ? read.data : undefined;
}
