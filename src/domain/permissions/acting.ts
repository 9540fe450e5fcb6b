import type { ApplicationId, UserId } from '../shared/ids.js';

/** Who acts, and by whose token: the same user may do less through an application than by a token of their own. */
export interface Acting {
  readonly actorId: UserId;
  /** The application that the token was issued to; null for a service user's own token, and within the service. */
  readonly through: ApplicationId | null;
}

/** Somebody for themselves: by a personal access token, a service user's own token, or their session on our pages. */
export function inPerson(actorId: UserId): Acting {
  return { actorId, through: null };
}
