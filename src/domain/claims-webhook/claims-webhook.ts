import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';

/**
 * The claims-webhook module: the one place at which somebody else's server is asked while a request waits. An organization
 * names a URL, and its applications with `claimsWebhook` get what it answers as further claims of their tokens and of userinfo.
 *
 * It is asked after the code or refresh token was used up, and outside of every transaction: no connection and no lock is held
 * meanwhile. Nothing is stored of what it answers.
 */

/** What happens where it does not answer, or with what may not be taken. */
export type ClaimsFallback = 'issue' | 'refuse';

export interface ClaimsWebhookPlan {
  readonly url: string;
  readonly timeoutSeconds: number;
  readonly onFailure: ClaimsFallback;
}

/** As administrators see it: never its secret. */
export interface ClaimsWebhook extends ClaimsWebhookPlan {
  readonly orgId: OrgId;
  /** Until when the secret before this one signs as well. */
  readonly formerSecretUntil: Date | null;
  readonly details: ResourceDetails;
}

/** What a call needs. */
export interface CallableClaimsWebhook extends ClaimsWebhookPlan {
  /** Those that sign right now, the newest first. */
  readonly secrets: readonly string[];
}
