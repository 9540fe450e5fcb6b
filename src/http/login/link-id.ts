import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { RANDOM_ID } from '../../domain/shared/random.js';

/** The `id` of a mail's link; empty for what no mail of ours ever held, so that nobody looks for it. */
export function linkId(parameters: OAuthParameters): string {
  const id = parameters.get('id') ?? '';
  return RANDOM_ID.test(id) ? id : '';
}
