import { OAuthError } from '../../shared/errors.js';
import { readUiLocales } from '../../shared/locale.js';
import type { Check } from './check.js';

const LIMITS = { state: 4096, nonce: 1024 } as const;

function hasControlCharacters(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

/** state and nonce come back exactly as they were sent, so the only question is whether they can be kept. */
export const readOpaqueValues: Check = ({ parameters }) => {
  for (const [name, limit] of Object.entries(LIMITS)) {
    const value = parameters.get(name) ?? '';
    if (value.length > limit)
      throw new OAuthError('invalid_request', `${name} is longer than ${limit} characters`);
    if (value.includes('\u0000')) throw new OAuthError('invalid_request', `${name} has a NUL character`);
  }
  const state = parameters.get('state');
  const nonce = parameters.get('nonce');
  return { ...(state === undefined ? {} : { state }), ...(nonce === undefined ? {} : { nonce }) };
};

/** Hints for the pages: whatever is not usable is dropped, never an error. */
export const readHints: Check = ({ parameters }) => {
  const loginHint = parameters.get('login_hint');
  const usable = loginHint !== undefined && loginHint.length <= 200 && !hasControlCharacters(loginHint);
  const uiLocales = readUiLocales(parameters.get('ui_locales') ?? '');
  return { uiLocales, ...(usable ? { loginHint } : {}) };
};
