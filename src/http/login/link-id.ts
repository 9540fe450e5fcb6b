import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';

const LINK_ID = /^[A-Za-z0-9_-]{22}$/;

/** The `id` of a mail's link; empty for what no mail of ours ever held, so that nobody looks for it. */
export function linkId(parameters: OAuthParameters): string {
  const id = parameters.get('id') ?? '';
  return LINK_ID.test(id) ? id : '';
}
