import { z } from 'zod';
import { userChange, type ApiCall } from '../shared/api-call.js';

/** Body of `password` PUT. */
export const ownPasswordBody = z
  .strictObject({ oldPassword: z.string(), newPassword: z.string() })
  .meta({ examples: [{ oldPassword: 'Example-Passw0rd', newPassword: 'Example-of-7-Tulips' }] });

/** Body of what verifies an address or a number: what the message said. */
export const codeBody = z.strictObject({ code: z.string() }).meta({ examples: [{ code: 'EXAMPL' }] });

/** The account that such a call changes: the caller's. */
export function ownAccount(call: ApiCall) {
  return userChange(call, call.caller);
}
