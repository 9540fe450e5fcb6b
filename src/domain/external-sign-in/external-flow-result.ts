import type { FlowResult } from '../authorize/flow/continue-flow.js';
import type { Flow } from '../authorize/flow/find-flow.js';
import type { AuthRequestId, RegistrationId } from '../shared/ids.js';
import type { ExternalProblem } from './read-provider-answer.js';

/** What came of it in the flow that somebody came back to. */
export type ExternalFlowResult =
  | {
      readonly kind: 'entered';
      readonly flow: Flow;
      readonly result: Exclude<FlowResult, { kind: 'refused' }>;
    }
  | { readonly kind: 'problem'; readonly flow: AuthRequestId; readonly problem: ExternalProblem }
  /** An account has the address: its owner signs in to it once more. */
  | { readonly kind: 'authenticate'; readonly flow: AuthRequestId }
  /** The provider gave no address that is any good, or a user name that somebody here has: a page asks for another. */
  | { readonly kind: 'complete'; readonly flow: AuthRequestId }
  /** The address is verified by a code first. */
  | { readonly kind: 'verify'; readonly registration: RegistrationId };

export function problem({ id }: Flow, what: ExternalProblem): ExternalFlowResult {
  return { kind: 'problem', flow: id, problem: what };
}
