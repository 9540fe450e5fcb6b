import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

/**
 * Prompts that are served (OpenID Connect Core §3.1.2.1, Initiating User Registration 1.0 §4). `consent` asks again where
 * there is something to agree to, and means nothing elsewhere. Discovery lists these.
 */
export const SERVED_PROMPTS = ['none', 'login', 'select_account', 'create', 'consent'] as const;

/** OpenID Connect Core §3.1.2.1: `none` stands alone; anything unknown is refused rather than ignored. */
export const readPrompt: Check = ({ parameters }) => {
  const prompts = (parameters.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== '');
  if (prompts.some((prompt) => !(SERVED_PROMPTS as readonly string[]).includes(prompt))) {
    throw new OAuthError('invalid_request', 'prompt has an unsupported value');
  }
  if (prompts.includes('none') && prompts.length > 1) {
    throw new OAuthError('invalid_request', 'prompt none must not be combined with another value');
  }
  return { prompts };
};
