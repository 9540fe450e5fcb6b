import { hasSignedInSince } from '../../sessions/proof.js';
import type { Session, SessionStep, UserAgent } from '../../sessions/session.js';
import { isOfRequired, type RequiredOrganization } from '../answer/admit-user.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { stepUpOf } from './step-up.js';

/** What an authorization request comes to in a browser with these sessions. */
export type Judgement =
  | { readonly kind: 'answer'; readonly session: Session }
  /** The session would do, but its user has something to do first. */
  | { readonly kind: 'act'; readonly session: Session; readonly step: SessionStep }
  /** The session would do but for the `acr` demanded, which its user cannot reach. */
  | { readonly kind: 'unmet' }
  | { readonly kind: 'choose' }
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'register' };

/**
 * Holds prompt, max_age and the hints of a request against the sessions of its browser (OpenID Connect Core
 * §3.1.2.1, §3.1.2.3). Judged when the request arrives and never again: a sign-in that it leads to satisfies it,
 * however slow that was.
 *
 * @param hintedByName the user whom login_hint names, if there is one
 * @param organization the one whose users may answer, if the request names one: others must sign in as somebody else
 */
export function judgeSessions(
  request: AuthorizationRequest,
  agent: UserAgent | undefined,
  hintedByName: string | undefined,
  organization?: RequiredOrganization,
): Judgement {
  const { prompts, hintedUserId, loginHint } = request;
  const ofRequired = ({ orgId }: Session): boolean => isOfRequired(organization, orgId);
  const sessions = agent?.sessions.filter(ofRequired) ?? [];
  const lapsed = agent?.lapsed.filter(ofRequired) ?? [];
  if (prompts.includes('create')) return { kind: 'register' };
  if (prompts.includes('select_account')) {
    return { kind: sessions.length + lapsed.length > 0 ? 'choose' : 'sign-in' };
  }
  if (prompts.includes('login')) return { kind: 'sign-in' };
  const candidates = sessions.filter(({ userId }) => hintedUserId === undefined || userId === hintedUserId);
  const named = candidates.find(({ userId }) => userId === hintedByName);
  // nobody is asked under prompt=none, so there the hint decides; otherwise it only comes first in the list
  if (candidates.length > 1 && !(prompts.includes('none') && named !== undefined)) return { kind: 'choose' };
  const session = named ?? candidates[0];
  if (session === undefined || isTooOld(request, session)) return { kind: 'sign-in' };
  // the application expects somebody else than who is signed in: the person knows which of the two is right. So it is for
  // a name that nobody has as well, or whoever is signed in could ask one by one who exists (security S035)
  const expectsAnother = loginHint !== undefined && hintedUserId === undefined && named === undefined;
  if (expectsAnother && !prompts.includes('none')) return { kind: 'choose' };
  return judgeStep(request, session);
}

function judgeStep(request: AuthorizationRequest, session: Session): Judgement {
  if (session.step !== undefined) return { kind: 'act', session, step: session.step };
  // a wish does not make up for an answer that was to come without asking anybody
  const isMere = request.prompts.includes('none') && request.acrEssential !== true;
  // whatever was shown was shown before
  const step = isMere ? undefined : stepUpOf(request, session, Infinity);
  if (step === 'unmet') return { kind: 'unmet' };
  return step === undefined ? { kind: 'answer', session } : { kind: 'act', session, step };
}

function isTooOld({ maxAge }: AuthorizationRequest, session: Session): boolean {
  if (maxAge === undefined) return false;
  const { authAgeSeconds, authenticatedAt } = session;
  if (authAgeSeconds > maxAge) return true;
  return !hasSignedInSince(session, authenticatedAt + (authAgeSeconds - maxAge));
}

/**
 * Whether an account that was picked from the list is good enough, as of when the request arrived; whoever signed in
 * since then is, unless a provider let them through by a session of its own.
 *
 * @param begunAt when the request arrived
 */
export function isGoodEnough(
  request: AuthorizationRequest | undefined,
  session: Session,
  begunAt: number,
): boolean {
  if (request === undefined) return true;
  const { maxAge, prompts } = request;
  if (prompts.includes('login')) return hasSignedInSince(session, begunAt);
  return maxAge === undefined || hasSignedInSince(session, begunAt - maxAge);
}

/**
 * The one session whose user a sign-in form is about: its user must authenticate again (`prompt=login`,
 * `max_age`). Of several it is the one that the application named; where the person is to choose there is none. Only
 * this browser's own sessions count, so that whoever is named by a request and is not signed in here stays unknown.
 *
 * @param begunAt when the request arrived
 */
export function sessionToRenew(
  request: AuthorizationRequest,
  { sessions }: UserAgent,
  begunAt: number,
  organization?: RequiredOrganization,
): Session | undefined {
  const { prompts, hintedUserId } = request;
  if (prompts.includes('select_account')) return undefined;
  const candidates = sessions.filter(
    ({ orgId, userId }) =>
      isOfRequired(organization, orgId) && (hintedUserId === undefined || userId === hintedUserId),
  );
  const [only] = candidates;
  if (only === undefined || candidates.length > 1) return undefined;
  return isGoodEnough(request, only, begunAt) ? undefined : only;
}
