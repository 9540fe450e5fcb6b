import { isConfirming, type Flow } from '../authorize/flow/find-flow.js';
import type { ProviderKind } from '../identity-providers/identity-provider.js';
import { reauthenticationBy } from '../identity-providers/reauthentication.js';

/** Whether an application wants its user to sign in anew, or to have done so lately (OpenID Connect Core §3.1.2.1). */
export function asksAnew({ request }: Pick<Flow, 'request'>): boolean {
  return request !== undefined && (request.prompts.includes('login') || request.maxAge !== undefined);
}

/**
 * Whether a provider is one for this sign-in. One that answers by a session of its own is none for an application that wants its
 * user to sign in anew: `auth_time` would say of whoever is at the browser that they just did.
 */
export function doesAsAsked(kind: ProviderKind, flow: Pick<Flow, 'request'>): boolean {
  return !asksAnew(flow) || reauthenticationBy(kind) !== 'none';
}

/** Whether a provider was asked in this flow to have somebody sign in anew, and does so. */
export function wasAskedAnew(kind: ProviderKind, flow: Pick<Flow, 'request' | 'required'>): boolean {
  return (asksAnew(flow) || isConfirming(flow)) && reauthenticationBy(kind) !== 'none';
}
