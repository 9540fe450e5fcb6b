import { isMetBy } from '../../sessions/acr.js';
import { isFirst, kindsOf, levelOf } from '../../sessions/proof.js';
import type { Session } from '../../sessions/session.js';
import { OAuthError } from '../../shared/errors.js';
import type { AuthorizationRequest } from '../auth-request.js';

/** What the `acr` that a request asks for comes to: nothing, one more factor, or a refusal. */
export type StepUp = 'second-factor' | 'unmet' | undefined;

/**
 * Compares the `acr` values that a request asks for with the proofs of a session. One that is met is enough; otherwise the user is
 * asked for a second factor if they can reach one of the values by it. Voluntary values never fail: values out of reach are ignored,
 * and a user who has shown another factor in this flow is not asked again (OpenID Connect Core §5.5.1.1).
 *
 * @param begunAt when the request arrived, in seconds since 1970
 */
export function stepUpOf(
  { acrValues = [], acrEssential = false }: AuthorizationRequest,
  { proofs, reachableLevel }: Session,
  begunAt: number,
): StepUp {
  const kinds = kindsOf(proofs);
  if (acrValues.length === 0 || acrValues.some((acr) => isMetBy(levelOf(kinds), acr))) return undefined;
  // somebody from a provider who has no factor here could show nothing more
  const hasMore = reachableLevel > 1 || !kinds.some((kind) => kind.startsWith('external'));
  const withinReach = hasMore && acrValues.some((acr) => isMetBy(reachableLevel, acr));
  if (acrEssential) return withinReach ? 'second-factor' : 'unmet';
  const shownHere = kinds.some((kind) => !isFirst(kind) && (proofs[kind] ?? 0) >= Math.floor(begunAt));
  return withinReach && !shownHere ? 'second-factor' : undefined;
}

/** A flow, as far as it asks for a class. */
interface AskingFlow {
  readonly request?: AuthorizationRequest;
  readonly begunAt: number;
}

/** The same in a flow; nothing where no application asks. */
export function stepUpIn({ request, begunAt }: AskingFlow, session: Session): StepUp {
  return request === undefined ? undefined : stepUpOf(request, session, begunAt);
}

/** Whether the user has to verify another factor before the flow continues, for any reason. */
export function isFactorDue(flow: AskingFlow, session: Session): boolean {
  return session.step === 'second-factor' || isStepUpOnly(flow, session);
}

/** Whether only the application requests it (voluntary `acr_values`), so that its user may skip it. */
export function isStepUpOnly(flow: AskingFlow, session: Session): boolean {
  return session.step === undefined && stepUpIn(flow, session) === 'second-factor';
}

/** Whether nothing less than a passkey that checks its user will do. */
export function asksForPasskey({ request }: AskingFlow): boolean {
  const asked = request?.acrValues ?? [];
  return asked.length > 0 && !asked.some((acr) => isMetBy(2, acr));
}

export function unmet(): OAuthError {
  return new OAuthError('unmet_authentication_requirements', 'the user cannot meet the required acr');
}
