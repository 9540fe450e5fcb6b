import { isConfirming, type Flow } from '../authorize/flow/find-flow.js';
import type { ProviderKind } from '../identity-providers/identity-provider.js';
import { reauthenticationBy } from '../identity-providers/reauthentication.js';
import type { ShownByProvider } from './read-provider-answer.js';

/** A provider's clock may be so far from ours. */
const CLOCKS_APART_SECONDS = 60;

/** Whether an application requires a fresh or recent sign-in: `prompt=login`, `max_age` (OpenID Connect Core §3.1.2.1). */
export function asksAnew({ request }: Pick<Flow, 'request'>): boolean {
  return request !== undefined && (request.prompts.includes('login') || request.maxAge !== undefined);
}

/**
 * Whether a provider can be used for this sign-in. If an application requires a fresh sign-in, one that always answers from its own
 * session cannot (`reauthenticationBy`): `auth_time` would claim a sign-in that did not happen.
 */
export function doesAsAsked(kind: ProviderKind, flow: Pick<Flow, 'request'>): boolean {
  return !asksAnew(flow) || reauthenticationBy(kind) !== 'none';
}

/**
 * Whether a provider was asked in this flow for a fresh sign-in, and its answer is trusted without a time. One that reports `auth_time` is
 * not: an answer without the time may belong to a request that was altered in the browser.
 */
export function wasAskedAnew(kind: ProviderKind, flow: Pick<Flow, 'request' | 'required'>): boolean {
  return (asksAnew(flow) || isConfirming(flow)) && reauthenticationBy(kind) === 'asked';
}

/**
 * Whether an answer is of a sign-in that is new enough for `prompt=login`: since the application asked (OpenID Connect Core §3.1.2.1).
 * How old one may be by `max_age` is checked with the answer.
 */
export function isAnewFor(
  kind: ProviderKind,
  { request, begunAt }: Pick<Flow, 'request' | 'begunAt'>,
  { proofs, shownThere = {} }: ShownByProvider,
): boolean {
  if (request?.prompts.includes('login') !== true || reauthenticationBy(kind) !== 'proven') return true;
  if (proofs.includes('external-anew')) return true;
  return Object.values(shownThere).some((shownAt) => shownAt >= begunAt - CLOCKS_APART_SECONDS);
}
